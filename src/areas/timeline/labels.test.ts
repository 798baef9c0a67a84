import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import {
  createCtx,
  seed,
  createSession,
  type TestDatabase,
  testDatabase,
} from '../../../test/support/harness.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';
import { inTransaction } from '../../db/transaction.ts';
import { addAssets, createAlbum, removeAssets } from '../albums/domain.ts';
import { findUnfoldedMonths, foldMonths } from '../assets/counts/counts.store.ts';
import { mergePeople } from '../people/corrections/merge.domain.ts';
import { deleteTag, tagAssets, untagAssets, updateTag, upsertTags } from '../tags/domain.ts';
import { getBucket, listBuckets } from './domain.ts';
import type { TimelineFilter } from './schemas.ts';
import { queryRows } from '../../db/query.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const DAYS = ['2019-12-31 23:59:59.5', '2020-01-01 00:00:00', '2021-06-07 08:09:10.123'];
const MONTHS = DAYS.map((day) => `${day.slice(0, 7)}-01`);
const PATHS = ['a', 'a/b', 'c'];
const ASSETS = 6;

const CHANGES = {
  lock: 'locked_at = case when locked_at is null then now() end',
  trash: 'trashed_at = case when trashed_at is null then now() end',
  archive: `visibility = case visibility when 'timeline' then 'archive' else 'timeline' end`,
  hide: `visibility = case visibility when 'timeline' then 'hidden' else 'timeline' end`,
  favorite: 'is_favorite = not is_favorite',
} as const;

/** Written anew here, from the words of the rule: it shares nothing with the code under test. */
const SCOPES = {
  library: [{}, `visibility in ('timeline', 'archive') and trashed_at is null`],
  timeline: [{ visibility: 'timeline' }, `visibility = 'timeline' and trashed_at is null`],
  archive: [{ visibility: 'archive' }, `visibility = 'archive' and trashed_at is null`],
  favorites: [
    { isFavorite: true },
    `visibility in ('timeline', 'archive') and trashed_at is null and is_favorite`,
  ],
  trash: [{ isTrashed: true }, `visibility in ('timeline', 'archive') and trashed_at is not null`],
} as const satisfies Record<string, readonly [Partial<TimelineFilter>, string]>;
type Scope = keyof typeof SCOPES;
const LABELS = ['tag a', 'tag a/b', 'person', 'other person', 'album'] as const;
type Label = (typeof LABELS)[number];

async function start() {
  const { id } = await seed(database).user();
  const ctx = createCtx(database, createSession(id));
  const friend = await seed(database).user();
  const theirs = await seed(database).asset({ ownerId: friend.id, ...takenAt(DAYS[0]!) });
  const home = {
    id,
    ctx,
    assets: [] as string[],
    people: [] as string[],
    albumId: (await createAlbum(ctx, { albumName: 'A' })).id,
    /** The last response by request. */
    known: new Map<string, { etag: string; ids: string[] }>(),
  };
  // Of somebody else, in the same album and month.
  await database.sql`insert into album_asset (album_id, asset_id) values (${home.albumId}, ${theirs})`;
  for (let n = 0; n < ASSETS; n++) home.assets.push(await addAsset(home.id, n));
  for (let n = 0; n < 2; n++) home.people.push((await addPerson(database, { ownerId: id })).id);
  return home;
}
type Home = Awaited<ReturnType<typeof start>>;

const addAsset = (ownerId: string, n: number) =>
  seed(database).asset({ ownerId, ...takenAt(DAYS[n % 3]!) });
/** In UTC: a clock is never further than a day away from it. */
const takenAt = (day: string) => ({ localTakenAt: day, takenAt: new Date(`${day}Z`) });

const some = fc.array(fc.nat({ max: ASSETS - 1 }), { minLength: 1, maxLength: ASSETS });
const path = fc.constantFrom(...PATHS);
const who = fc.nat({ max: 1 });
const STEPS = {
  tag: fc.record({ kind: fc.constant('tag' as const), path, some }),
  untag: fc.record({ kind: fc.constant('untag' as const), path, some }),
  /** One loses the tag to another, so that the number stays. */
  pass: fc.record({ kind: fc.constant('pass' as const), path, some }),
  moveTag: fc.record({ kind: fc.constant('moveTag' as const), path, to: fc.option(path) }),
  deleteTag: fc.record({ kind: fc.constant('deleteTag' as const), path }),
  face: fc.record({ kind: fc.constant('face' as const), who, some }),
  swapFaces: fc.record({ kind: fc.constant('swapFaces' as const), some }),
  hideFaces: fc.record({ kind: fc.constant('hideFaces' as const), some }),
  deleteFaces: fc.record({ kind: fc.constant('deleteFaces' as const), some }),
  merge: fc.record({ kind: fc.constant('merge' as const), who }),
  put: fc.record({ kind: fc.constant('put' as const), some }),
  take: fc.record({ kind: fc.constant('take' as const), some }),
  change: fc.record({
    kind: fc.constant('change' as const),
    some,
    change: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
  }),
  redate: fc.record({ kind: fc.constant('redate' as const), some, day: fc.nat({ max: 2 }) }),
  delete: fc.record({ kind: fc.constant('delete' as const), some }),
  fold: fc.record({ kind: fc.constant('fold' as const) }),
};
const WEIGHTS: Partial<Record<keyof typeof STEPS, number>> = {
  tag: 4,
  face: 4,
  change: 5,
  redate: 3,
};
const step = fc.oneof(
  ...Object.entries(STEPS).map(([kind, arbitrary]) => ({
    weight: WEIGHTS[kind as keyof typeof STEPS] ?? 1,
    arbitrary: arbitrary as fc.Arbitrary<Step>,
  })),
);
type Step = {
  [K in keyof typeof STEPS]: (typeof STEPS)[K] extends fc.Arbitrary<infer S> ? S : never;
}[keyof typeof STEPS];

async function take(home: Home, item: Step): Promise<void> {
  const { ctx, id: ownerId, people } = home;
  const numbers = 'some' in item ? [...new Set(item.some)] : [];
  const chosen = numbers.map((n) => home.assets[n]!);
  const run = (statement: string) => database.sql.unsafe(statement, [chosen]);
  if (item.kind === 'tag') {
    const [tag] = await upsertTags(ctx, [item.path]);
    await tagAssets(ctx, tag!.id, chosen);
  }
  if (item.kind === 'face') {
    for (const assetId of chosen) {
      await addFace(database, { ownerId, assetId, personId: people[item.who]! });
    }
  }
  if (item.kind === 'swapFaces') {
    await database.sql`
      update face set person_id = case person_id when ${people[0]!} then ${people[1]!}::uuid
        else ${people[0]!}::uuid end where asset_id = any(${chosen}::uuid[])`;
  }
  if (item.kind === 'hideFaces') {
    await run('update face set is_hidden = not is_hidden where asset_id = any($1::uuid[])');
  }
  if (item.kind === 'deleteFaces') await run('delete from face where asset_id = any($1::uuid[])');
  if (item.kind === 'merge') {
    // With the PIN: a person who is only on locked items cannot be merged otherwise.
    const unlocked = createCtx(database, createSession(ownerId, { unlocked: true }));
    await mergePeople(unlocked, [people[item.who]!, people[1 - item.who]!]);
    home.people = [people[item.who]!, (await addPerson(database, { ownerId })).id];
  }
  if (item.kind === 'put') await addAssets(ctx, home.albumId, chosen);
  if (item.kind === 'take') await removeAssets(ctx, home.albumId, chosen);
  if (item.kind === 'change') {
    await run(`update asset set ${CHANGES[item.change]} where id = any($1::uuid[])`);
  }
  if (item.kind === 'redate') {
    await run(`update asset set local_taken_at = '${DAYS[item.day]}',
      taken_at = timestamp '${DAYS[item.day]}' at time zone 'utc' where id = any($1::uuid[])`);
  }
  if (item.kind === 'delete') {
    await run('delete from asset where id = any($1::uuid[])');
    for (const n of numbers) home.assets[n] = await addAsset(ownerId, n);
  }
  if (item.kind === 'fold') await fold(ownerId);
  if ('path' in item && item.kind !== 'tag') await takeTag(home, item, chosen);
}

async function takeTag(
  { id: ownerId }: Home,
  item: Extract<Step, { kind: 'untag' | 'pass' | 'moveTag' | 'deleteTag' }>,
  [first, ...rest]: string[],
): Promise<void> {
  const find = async (value: string) =>
    (await database.sql`select id from tag where owner_id = ${ownerId} and value = ${value}`)[0]?.[
      'id'
    ] as string | undefined;
  const tagId = await find(item.path);
  if (!tagId) return;
  // With the PIN: a tag that is only on Locked items is unknown otherwise.
  const ctx = createCtx(database, createSession(ownerId, { unlocked: true }));
  if (item.kind === 'untag') await untagAssets(ctx, tagId, [first!, ...rest]);
  if (item.kind === 'pass') {
    await untagAssets(ctx, tagId, [first!]);
    await tagAssets(ctx, tagId, rest.slice(0, 1));
  }
  if (item.kind === 'deleteTag') await deleteTag(ctx, tagId);
  if (item.kind === 'moveTag') {
    const parentId = item.to === null ? null : await find(item.to);
    // A name that is taken, or a way below itself, is refused and changes nothing.
    if (parentId !== undefined) await updateTag(ctx, tagId, { parentId }).catch(() => {});
  }
}

async function fold(ownerId: string): Promise<void> {
  const months = await database.sql<{ owner_id: string; local_month: string }[]>`
    select distinct owner_id, local_month::text from asset_count where owner_id = ${ownerId}`;
  await database.db.transaction((tx) => foldMonths(tx, [...months]));
}

/** Reads every link and every asset. */
async function recounted(home: Home, label: Label, scope: Scope): Promise<Map<string, string[]>> {
  const links = {
    tag: `select asset_id from tag_asset where tag_id in (select id from tag
      where owner_id = $1 and (value = $2 or starts_with(value, $2 || '/')))`,
    person:
      'select asset_id from face where owner_id = $1 and person_id = $2::uuid and not is_hidden',
    album: 'select asset_id from album_asset where $1::uuid is not null and album_id = $2::uuid',
  };
  const kind = label.startsWith('tag') ? 'tag' : label.endsWith('person') ? 'person' : 'album';
  const rows = await database.sql.unsafe<{ id: string; month: string }[]>(
    `select id, to_char(local_taken_at, 'YYYY-MM-01') as month from asset
     where id in (${links[kind]}) and locked_at is null and ${SCOPES[scope][1]}
     order by local_taken_at desc, id desc`,
    [home.id, toSubjectId(home, label)],
  );
  const months = Map.groupBy(rows, (row) => row.month);
  return new Map([...months].map(([month, list]) => [month, list.map((row) => row.id)]));
}

const toSubjectId = ({ people, albumId }: Home, label: Label): string =>
  label === 'album'
    ? albumId
    : label.startsWith('tag')
      ? label.slice(4)
      : people[label === 'person' ? 0 : 1]!;

async function findFilter(
  home: Home,
  label: Label,
  scope: Scope,
): Promise<TimelineFilter | undefined> {
  const [more] = SCOPES[scope];
  const subject = toSubjectId(home, label);
  if (label === 'album') return { ...more, albumId: subject };
  if (!label.startsWith('tag')) return { ...more, personId: subject };
  const [tag] = await database.sql<{ id: string }[]>`
    select id from tag where owner_id = ${home.id} and value = ${subject}`;
  return tag && { ...more, tagId: tag.id };
}

/** Compares the listing with a recount. Returns the number of items. */
async function compare(home: Home, label: Label, scope: Scope): Promise<number> {
  // An album shows its library, and of what is elsewhere only the caller's own.
  if (label === 'album' && scope !== 'library' && scope !== 'favorites') return 0;
  const filter = await findFilter(home, label, scope);
  if (!filter) return 0;
  const truth = await recounted(home, label, scope);
  const buckets = await listBuckets(home.ctx, filter);
  expect(buckets.map((bucket) => [bucket.timeBucket, bucket.count])).toEqual(
    [...truth].map(([month, ids]) => [month, ids.length]),
  );
  for (const month of MONTHS) {
    const key = JSON.stringify([filter, month]);
    const last = home.known.get(key);
    const { etag, bytes } = await getBucket(home.ctx, filter, month, (tag) => tag === last?.etag);
    const ids = bytes ? (JSON.parse(new TextDecoder().decode(bytes)).id as string[]) : last!.ids;
    expect(ids).toEqual(truth.get(month) ?? []);
    home.known.set(key, { etag, ids });
  }
  return [...truth.values()].flat().length;
}

/** The copies of the month, which no listing would show if they were wrong both times. */
const misplaced = () => database.sql`
  select 1 from (
    select asset_id, local_month, true as is_placed from tag_asset
    union all select asset_id, local_month, true from album_asset
    union all select asset_id, local_month, person_id is not null from face
  ) link join asset on asset.id = asset_id
  where is_placed and link.local_month is distinct from asset.local_month
    or link.local_month <> asset.local_month`;

test('months and pages of tags, people and albums equal a recount after any sequence of changes', async () => {
  let largest = 0;
  const looks = fc.array(
    fc.tuple(fc.constantFrom(...LABELS), fc.constantFrom(...(Object.keys(SCOPES) as Scope[]))),
    { maxLength: 2 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ step, looks }), { minLength: 10, maxLength: 30 }),
      async (steps) => {
        const home = await start();
        for (const { step, looks } of steps) {
          await take(home, step);
          for (const [label, scope] of looks) await compare(home, label, scope);
        }
        for (const label of LABELS) {
          for (const scope of Object.keys(SCOPES) as Scope[]) {
            largest = Math.max(largest, await compare(home, label, scope));
          }
        }
        expect(await misplaced()).toHaveLength(0);
      },
    ),
    { numRuns: 15 },
  );
  // Not of nothing but empty months.
  expect(largest).toBeGreaterThan(2);
}, 240_000);

test('tags, people, album members and dates update the months immediately', async () => {
  const home = await start();
  const { ctx, id: ownerId, albumId } = home;
  const [tag] = await upsertTags(ctx, ['a']);
  for (let n = 0; n < 20; n++) {
    const assetId = await addAsset(ownerId, n);
    const nobody = await addFace(database, { ownerId, assetId });
    const redate = (day: string) =>
      inTransaction(ctx, ({ db }) =>
        queryRows(
          db,
          sql`update asset set local_taken_at = ${day}::timestamp,
          taken_at = ${day}::timestamp at time zone 'utc' where id = ${assetId}`,
        ),
      );
    const name = (personId: string) =>
      inTransaction(ctx, ({ db }) =>
        queryRows(db, sql`update face set person_id = ${personId} where id = ${nobody.id}`),
      );
    await Promise.all([
      redate(DAYS[(n + 1) % 3]!),
      tagAssets(ctx, tag!.id, [assetId]),
      addAssets(ctx, albumId, [assetId]),
      addFace(database, { ownerId, assetId, personId: home.people[0]! }),
      name(home.people[1]!),
    ]);
    await Promise.all([redate(DAYS[(n + 2) % 3]!), name(home.people[0]!)]);
  }
  expect(await misplaced()).toHaveLength(0);
  for (const label of LABELS) await compare(home, label, 'library');
});

test('a counted month is not recounted before something in it changes', async () => {
  const home = await start();
  const [tag] = await upsertTags(home.ctx, ['a']);
  await tagAssets(home.ctx, tag!.id, home.assets);
  const counted: string[] = [];
  const watched = database.deps.db.execute.bind(database.deps.db);
  const ctx = {
    ...home.ctx,
    db: new Proxy(database.deps.db, {
      get: (db, name) =>
        name === 'execute'
          ? (query: Parameters<typeof watched>[0]) => {
              counted.push('again');
              return watched(query);
            }
          : Reflect.get(db, name),
    }),
  };
  const read = async () => {
    counted.length = 0;
    const buckets = await listBuckets(ctx, { tagId: tag!.id });
    return [buckets.map((bucket) => bucket.count), counted.length];
  };
  expect(await read()).toEqual([[2, 2, 2], 1]);
  expect(await read()).toEqual([[2, 2, 2], 0]);
  await fold(home.id);
  expect(await read()).toEqual([[2, 2, 2], 0]);
  await untagAssets(home.ctx, tag!.id, [home.assets[0]!]);
  expect(await read()).toEqual([[2, 2, 1], 1]);
  // Nobody else reads what was counted for this caller.
  const stranger = createCtx(database, createSession((await seed(database).user()).id));
  expect(await listBuckets(stranger, { tagId: tag!.id })).toEqual([]);
  expect(await listBuckets(stranger, { personId: home.people[0]! })).toEqual([]);
});

test('many changed months are recounted together, the others are not', async () => {
  const { id: ownerId } = await seed(database).user();
  const ctx = createCtx(database, createSession(ownerId));
  const days = Array.from({ length: 12 }, (_, n) => `2020-${String(n + 1).padStart(2, '0')}-05`);
  const ids: string[] = [];
  for (const day of [...days, ...days]) {
    ids.push(await seed(database).asset({ ownerId, ...takenAt(`${day}T00:00:00`) }));
  }
  const person = await addPerson(database, { ownerId });
  for (const assetId of ids) await addFace(database, { ownerId, assetId, personId: person.id });
  const [tag] = await upsertTags(ctx, ['a']);
  await tagAssets(ctx, tag!.id, ids);
  const read = async () => {
    const found: number[][] = [];
    for (const filter of [{ tagId: tag!.id }, { personId: person.id }]) {
      found.push((await listBuckets(ctx, { ...filter, order: 'asc' })).map(({ count }) => count));
    }
    expect(found[0]).toEqual(found[1]!);
    return found[0]!;
  };
  expect(await read()).toEqual(days.map(() => 2));
  await database.sql`update asset set trashed_at = now() where id = any(${ids.slice(0, 10)}::uuid[])`;
  expect(await read()).toEqual([...days.slice(0, 10).map(() => 1), 2, 2]);
});

test('many changes leave delta rows that are folded', async () => {
  const home = await start();
  const [tag] = await upsertTags(home.ctx, ['a']);
  for (let n = 0; n < 40; n++) {
    const change = n % 2 === 0 ? tagAssets : untagAssets;
    await change(home.ctx, tag!.id, home.assets);
  }
  const mine = (await findUnfoldedMonths(database.db)).filter((row) => row.owner_id === home.id);
  expect(mine).toHaveLength(3);
  await tagAssets(home.ctx, tag!.id, home.assets);
  await compare(home, 'tag a', 'library');
  await database.db.transaction((tx) => foldMonths(tx, mine));
  await compare(home, 'tag a', 'library');
  const [row] = await database.sql`
    select count(*)::int as rows from asset_count where owner_id = ${home.id}`;
  expect(row!['rows']).toBe(3);
});
