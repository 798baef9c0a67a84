import { beforeAll, expect, test } from 'bun:test';
import { useDatabase } from '../../../../test/support/database.ts';
import { createSeededRandom } from '../../../../test/support/effort.ts';
import { createCtx, createSession, seed, type TestUser } from '../../../../test/support/harness.ts';
import { sample } from '../../../../test/support/sample.ts';
import { indexTexts } from '../../../../test/support/text-index.ts';
import type { Ctx } from '../../../core/context.ts';
import type { FilterFields } from './filter-fields.schemas.ts';
import { toMatching } from './matching.domain.ts';
import type { Matching } from './matching.store.ts';
import { estimateMatches, listNewest } from './newest.store.ts';

const HOUR = 3_600_000;
const MONTHS = 20;
/** Items that are looked for; the others are so many that the newest ones do not show them. */
const LOOKED_FOR = 280;
const OTHERS = 6300;
const STATES = [
  { trashedAt: new Date() },
  { lockedAt: new Date() },
  { visibility: 'hidden' },
  { visibility: 'archive' },
] as const;

const database = await useDatabase({ plansByValues: true });
const random = createSeededRandom('newest');
let [me, partner, stranger]: TestUser[] = [];
let ctx: Ctx;
/** Items that the searches find, newest first. */
let found: {
  readonly id: string;
  readonly takenAt: Date;
  readonly localTakenAt: string;
  readonly isRare: boolean;
}[] = [];

/** At an end of a month, and by the local clock in the other one. Most are old, so that some windows hold just enough. */
async function addAsset(ownerId: string, state: object): Promise<(typeof found)[number]> {
  const month = random.below(MONTHS / 2) + (random.below(3) > 0 ? 0 : MONTHS / 2);
  const hours = random.below(24) - 12;
  const takenAt = new Date(Date.UTC(2020, month, 1) + hours * HOUR);
  const localTakenAt = new Date(takenAt.getTime() + (hours < 0 ? 14 : -12) * HOUR)
    .toISOString()
    .slice(0, -1);
  const isRare = random.below(10) === 0;
  const fileName = isRare ? 'lake puffin.jpg' : 'lake.jpg';
  const id = await seed(database).asset({ ownerId, takenAt, localTakenAt, fileName, ...state });
  await database.sql`insert into asset_label (asset_id, source, label, score)
    values (${id}, 'tags', 'tabby', 0.5)`;
  return { id, takenAt, localTakenAt, isRare };
}

const addOthers = () => database.sql`
  insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at, local_taken_at, file_modified_at)
  select case when n % 3 = 0 then ${partner!.id} else ${me!.id} end::uuid, 'IMAGE',
    (select sha256 from original limit 1), substring(sha256(n::text::bytea) for 20), 'other.jpg', 1,
    time at time zone 'utc', time, now()
  from generate_series(1, ${OTHERS}::int) n cross join lateral (
    select timestamp '2020-01-05' + n % ${MONTHS}::int * interval '1 month' as time) at_time`;

const toNewestFirst = (items: typeof found) =>
  items.toSorted((a, b) => b.takenAt.getTime() - a.takenAt.getTime() || (a.id < b.id ? 1 : -1));

beforeAll(async () => {
  [me, partner, stranger] = [
    await seed(database).user(),
    await seed(database).user(),
    await seed(database).user(),
  ];
  for (let n = 0; n < LOOKED_FOR; n++) {
    const state = n % 3 === 0 ? STATES[random.below(STATES.length)]! : {};
    const ownerId = [me, me, partner, stranger][n % 4]!.id;
    const asset = await addAsset(ownerId, state);
    if (ownerId !== stranger!.id && n % 3 !== 0) found.push(asset);
  }
  await addOthers();
  found = toNewestFirst(found);
  await indexTexts(database);
  await database.sql`analyze`;
  ctx = createCtx(database, createSession(me!.id, { timelineSharers: [partner!.id] }));
});

const KINDS: readonly [string, Partial<Matching>][] = [
  ['words', { words: "'lake'" }],
  ['labels', { labels: [['tags:tabby', 'tags:lynx']] }],
];

const LENGTHS = Array.from({ length: 79 }, (_, n) => n + 1);

async function listIds(
  over: Partial<Matching>,
  limit: number,
  filter: FilterFields = {},
): Promise<string[]> {
  const matching = { ...(await toMatching(ctx, filter))!, ...over };
  // Each is a request of its own: the counts of months are read once for each.
  return (await listNewest({ ...ctx }, matching, limit)).map(({ id }) => id);
}

test.each(KINDS)(
  'the newest by %s are the same ones at every length of the list',
  async (_, kind) => {
    const ids = found.map(({ id }) => id);
    for (const limit of sample(kind.words ?? 'labels', LENGTHS, 20))
      expect([limit, await listIds(kind, limit)]).toEqual([limit, ids.slice(0, limit)]);
  },
);

type Times = { readonly name: string; readonly filter: FilterFields };
const TIMES: readonly (Times & { readonly isIn: (item: (typeof found)[number]) => boolean })[] = [
  {
    name: 'between local times',
    filter: { takenAfter: '2020-06-01T00:00:00', takenBefore: '2020-11-30T23:59:59' },
    isIn: ({ localTakenAt }) => localTakenAt >= '2020-06-01' && localTakenAt < '2020-12-01',
  },
  {
    name: 'between instants',
    filter: { takenAfter: '2020-06-01T00:00:00Z', takenBefore: '2020-12-01T00:00:00Z' },
    isIn: ({ takenAt }) =>
      takenAt >= new Date('2020-06-01') && takenAt <= new Date('2020-12-01T00:00:00Z'),
  },
  {
    name: 'in the Augusts and on one day',
    filter: { filter: { takenOn: { in: ['08', '2020-03-01'] } } },
    isIn: ({ localTakenAt }) => /^(?:\d+-08|2020-03-01)/.test(localTakenAt),
  },
];

test.each(TIMES)('those taken $name are the same ones', async ({ name, filter, isIn }) => {
  const ids = found.filter(isIn).map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(3);
  for (const [, kind] of KINDS) {
    for (const limit of sample(name, LENGTHS.slice(0, 19), 6))
      expect([limit, await listIds(kind, limit, filter)]).toEqual([limit, ids.slice(0, limit)]);
    expect(await listIds(kind, LOOKED_FOR, filter)).toEqual(ids);
  }
});

test('of rare words all are found, however old', async () => {
  const rare = found.filter(({ isRare }) => isRare).map(({ id }) => id);
  expect(await listIds({ words: "'puffin'" }, 10)).toEqual(rare.slice(0, 10));
});

test('with a filter that few or many items pass, the same ones are found', async () => {
  const rare = found.filter(({ isRare }) => isRare).map(({ id }) => id);
  for (const [, kind] of KINDS) {
    expect(await listIds(kind, 10, { originalFileName: 'puffin' })).toEqual(rare.slice(0, 10));
    for (const limit of [5, LOOKED_FOR])
      expect(await listIds(kind, limit, { type: 'IMAGE' })).toEqual(
        found.slice(0, limit).map(({ id }) => id),
      );
  }
});

type Member = { readonly id: string; readonly isOld: boolean; readonly name: string };
const OLD = '2020-07-20T12:00:00Z';

/** Adds an album, a tag and a person of most of the account's items, and returns these, newest first. */
async function addMembers(): Promise<{ filters: FilterFields[]; members: Member[] }> {
  const members = await database.sql<Member[]>`
    select id, taken_at <= ${OLD} as "isOld", substring(file_name from '^[a-z]+') as name from asset
    where owner_id = ${me!.id} and get_byte(sha1, 0) % 8 > 0 and visibility = 'timeline'
      and locked_at is null and trashed_at is null
    order by taken_at desc, id desc`;
  const ids = `{${members.map(({ id }) => id).join()}}`;
  const [tag] = await database.sql`
    insert into tag (owner_id, value) values (${me!.id}, 'usual') returning id`;
  await database.sql`insert into tag_asset (tag_id, asset_id)
    select ${tag!['id']}, id from unnest(${ids}::uuid[]) id`;
  const [album] = await database.sql`
    insert into album (owner_id, name) values (${me!.id}, 'usual') returning id`;
  await database.sql`insert into album_asset (album_id, asset_id)
    select ${album!['id']}, id from unnest(${ids}::uuid[]) id`;
  const [person] = await database.sql`
    insert into person (owner_id, name) values (${me!.id}, 'Usual') returning id`;
  await database.sql`
    insert into face (owner_id, asset_id, person_id, x1, y1, x2, y2, image_width, image_height,
      source, source_revision)
    select ${me!.id}, id, ${person!['id']}, 0.1, 0.1, 0.2, 0.2, 100, 100, 'manual', 'r'
    from unnest(${ids}::uuid[]) id cross join generate_series(1, 2)`;
  await database.sql`analyze`;
  const filters = [
    { tagIds: [tag!['id']] },
    { personIds: [person!['id']] },
    { albumIds: [album!['id']] },
  ];
  return { filters: [...filters, Object.assign({}, ...filters)], members };
}

test('of an album, a tag or a person that many items have, the same ones are found', async () => {
  const { filters, members } = await addMembers();
  for (const name of ['lake', 'other']) {
    const named = members.filter((item) => item.name === name);
    const before = named.filter(({ isOld }) => isOld);
    for (const filter of filters) {
      for (const limit of [1, 20, 1500])
        expect(await listIds({ words: `'${name}'` }, limit, filter)).toEqual(
          named.slice(0, limit).map(({ id }) => id),
        );
      expect(await listIds({ words: `'${name}'` }, 20, { ...filter, takenBefore: OLD })).toEqual(
        before.slice(0, 20).map(({ id }) => id),
      );
    }
  }
});

test('of two lists of labels, an item has one of each', async () => {
  const pair = { labels: [['tags:lynx', 'tags:tabby'], ['objects:cat']] };
  expect(await listIds(pair, LOOKED_FOR)).toEqual([]);
  const [first] = found;
  const [text] =
    await database.sql`select words::text from asset_text where asset_id = ${first!.id}`;
  await database.sql`update asset_text set words = words || array_to_tsvector('{:objects:cat}')
    where asset_id = ${first!.id}`;
  for (const filter of [{}, { type: 'IMAGE' }, { originalFileName: 'lake' }] as const)
    expect(await listIds(pair, LOOKED_FOR, filter)).toEqual([first!.id]);
  await database.sql`update asset_text set words = ${text!['words']}::tsvector where asset_id = ${first!.id}`;
});

test('of frequent ones, only the newest months are read', async () => {
  const [newest] = found;
  const [text] =
    await database.sql`select words::text from asset_text where asset_id = ${newest!.id}`;
  // A row without its month is found by what reads all rows only.
  await database.sql`update asset_text set words = ts_delete(words, ':month:' || local_month)
    from asset where asset.id = asset_id and asset_id = ${newest!.id}`;
  for (const [, kind] of KINDS) {
    expect(await listIds(kind, 5)).not.toContain(newest!.id);
    expect(await listIds(kind, LOOKED_FOR)).toContain(newest!.id);
  }
  await database.sql`update asset_text set words = ${text!['words']}::tsvector where asset_id = ${newest!.id}`;
});

test('an asset with a new date moves in the index', async () => {
  const oldest = found.at(-1)!;
  const year = (n: number) => database.sql`
    update asset set taken_at = taken_at + ${`${n} years`}::interval,
      local_taken_at = local_taken_at + ${`${n} years`}::interval where id = ${oldest.id}`;
  await year(10);
  await indexTexts(database);
  for (const [, kind] of KINDS) expect((await listIds(kind, 5))[0]).toBe(oldest.id);
  await year(-10);
  await indexTexts(database);
  for (const [, kind] of KINDS) expect(await listIds(kind, 5)).not.toContain(oldest.id);
});

test('the items of a time are estimated by the counts of its months', async () => {
  const estimate = async (filter: FilterFields) =>
    estimateMatches(ctx, (await toMatching(ctx, filter))!);
  const all = await estimate({});
  const year = { takenAfter: '2020-01-01T00:00:00', takenBefore: '2020-10-31T23:59:59' };
  expect((await estimate(year)) / all).toBeWithin(0.35, 0.65);
  expect(await estimate({ takenAfter: '2031-01-01T00:00:00' })).toBe(0);
});
