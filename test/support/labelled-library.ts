import { expect } from 'bun:test';
import { createAlbum } from '../../src/areas/albums/domain.ts';
import { foldMonths } from '../../src/areas/assets/counts/counts.store.ts';
import { getBucket, listBuckets } from '../../src/areas/timeline/domain.ts';
import type { TimelineFilter } from '../../src/areas/timeline/schemas.ts';
import { createCtx, createSession, seed, type TestDatabase } from './harness.ts';
import { addFace, addPerson } from './people.ts';

export const DAYS = ['2019-12-31 23:59:59.5', '2020-01-01 00:00:00', '2021-06-07 08:09:10.123'];
const MONTHS = DAYS.map((day) => `${day.slice(0, 7)}-01`);
/** The assets of one account; each day has as many of them. */
export const ASSETS = 6;

/** Written anew here, from the words of the rule: it shares nothing with the code under test. */
export const SCOPES = {
  library: [{}, `visibility in ('timeline', 'archive') and trashed_at is null`],
  timeline: [{ visibility: 'timeline' }, `visibility = 'timeline' and trashed_at is null`],
  // Partners' items have labels of theirs only.
  withPartners: [
    { visibility: 'timeline', withPartners: true },
    `visibility = 'timeline' and trashed_at is null`,
  ],
  archive: [{ visibility: 'archive' }, `visibility = 'archive' and trashed_at is null`],
  favorites: [
    { isFavorite: true },
    `visibility in ('timeline', 'archive') and trashed_at is null and is_favorite`,
  ],
  trash: [{ isTrashed: true }, `visibility in ('timeline', 'archive') and trashed_at is not null`],
} as const satisfies Record<string, readonly [Partial<TimelineFilter>, string]>;
export type Scope = keyof typeof SCOPES;
export const LABELS = ['tag a', 'tag a/b', 'person', 'other person', 'album'] as const;
type Label = (typeof LABELS)[number];

/** An account with items, two people and an album in which somebody else has an item, too. */
export async function createLabelledLibrary(database: TestDatabase) {
  const { id } = await seed(database).user();
  const friend = await seed(database).user();
  const shared = { sharers: [friend.id], timelineSharers: [friend.id] };
  const ctx = createCtx(database, createSession(id, shared));
  const theirs = await seed(database).asset({ ownerId: friend.id, ...takenAt(DAYS[0]!) });
  const known = await addPerson(database, { ownerId: friend.id });
  await addFace(database, { ownerId: friend.id, assetId: theirs, personId: known.id });
  const home = {
    database,
    id,
    ctx,
    assets: [] as string[],
    people: [] as string[],
    albumId: (await createAlbum(ctx, { albumName: 'A' })).id,
    /** The last response by request. */
    known: new Map<string, { etag: string; ids: string[] }>(),
  };
  // A photo of somebody else, in the same album and month.
  await database.sql`insert into album_asset (album_id, asset_id) values (${home.albumId}, ${theirs})`;
  for (let n = 0; n < ASSETS; n++) home.assets.push(await addAsset(database, home.id, n));
  for (let n = 0; n < 2; n++) home.people.push((await addPerson(database, { ownerId: id })).id);
  return home;
}
export type LabelledLibrary = Awaited<ReturnType<typeof createLabelledLibrary>>;

export const addAsset = (database: TestDatabase, ownerId: string, n: number) =>
  seed(database).asset({ ownerId, ...takenAt(DAYS[n % 3]!) });
/** In UTC: a clock is never further than a day away from it. */
export const takenAt = (day: string) => ({ localTakenAt: day, takenAt: new Date(`${day}Z`) });

/** Folds the delta rows of its months. */
export async function fold({ database, id }: LabelledLibrary): Promise<void> {
  const months = await database.sql<{ owner_id: string; local_month: string }[]>`
    select distinct owner_id, local_month::text from asset_count where owner_id = ${id}`;
  await database.db.transaction((tx) => foldMonths(tx, [...months]));
}

/** Reads every link and every asset. */
async function recount(
  home: LabelledLibrary,
  label: Label,
  scope: Scope,
): Promise<Map<string, string[]>> {
  const links = {
    tag: `select asset_id from tag_asset where tag_id in (select id from tag
      where owner_id = $1 and (value = $2 or starts_with(value, $2 || '/')))`,
    person:
      'select asset_id from face where owner_id = $1 and person_id = $2::uuid and not is_hidden',
    album: 'select asset_id from album_asset where $1::uuid is not null and album_id = $2::uuid',
  };
  const kind = label.startsWith('tag') ? 'tag' : label.endsWith('person') ? 'person' : 'album';
  const rows = await home.database.sql.unsafe<{ id: string; month: string }[]>(
    `select id, to_char(local_taken_at, 'YYYY-MM-01') as month from asset
     where id in (${links[kind]}) and locked_at is null and ${SCOPES[scope][1]}
     order by local_taken_at desc, id desc`,
    [home.id, toSubjectId(home, label)],
  );
  const months = Map.groupBy(rows, (row) => row.month);
  return new Map([...months].map(([month, list]) => [month, list.map((row) => row.id)]));
}

const toSubjectId = ({ people, albumId }: LabelledLibrary, label: Label): string =>
  label === 'album'
    ? albumId
    : label.startsWith('tag')
      ? label.slice(4)
      : people[label === 'person' ? 0 : 1]!;

async function findFilter(
  home: LabelledLibrary,
  label: Label,
  scope: Scope,
): Promise<TimelineFilter | undefined> {
  const [more] = SCOPES[scope];
  const subject = toSubjectId(home, label);
  if (label === 'album') return { ...more, albumId: subject };
  if (!label.startsWith('tag')) return { ...more, personId: subject };
  const [tag] = await home.database.sql<{ id: string }[]>`
    select id from tag where owner_id = ${home.id} and value = ${subject}`;
  return tag && { ...more, tagId: tag.id };
}

/** Compares the listing with a recount. Returns the number of items. */
export async function compareWithRecount(
  home: LabelledLibrary,
  label: Label,
  scope: Scope,
): Promise<number> {
  // An album shows its library, and of what is elsewhere only the caller's own.
  if (label === 'album' && scope !== 'library' && scope !== 'favorites') return 0;
  const filter = await findFilter(home, label, scope);
  if (!filter) return 0;
  const truth = await recount(home, label, scope);
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

/** Links whose copy of the month is wrong: a listing that is wrong both times would not show it. */
export const listMisplacedLinks = ({ sql }: TestDatabase) => sql`
  select 1 from (
    select asset_id, local_month, true as is_placed from tag_asset
    union all select asset_id, local_month, true from album_asset
    union all select asset_id, local_month, person_id is not null from face
  ) link join asset on asset.id = asset_id
  where is_placed and link.local_month is distinct from asset.local_month
    or link.local_month <> asset.local_month`;
