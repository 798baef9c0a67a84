import { countByContributor, foldAlbums, summarize } from '../../src/areas/albums/counts.store.ts';
import { getBucket, listBuckets } from '../../src/areas/timeline/domain.ts';
import { createCtx, createSession, seed, type TestDatabase } from './harness.ts';

// Few days, so that items share them.
export const DAYS = ['2019-05-05 10:00:00', '2020-01-01 00:00:00', '2021-06-07 08:09:10.123'];

/** An account with an unlocked session. */
export async function addViewer(database: TestDatabase) {
  const { id } = await seed(database).user();
  const session = createSession(id, { unlocked: true });
  return { id, session, ctx: createCtx(database, session) };
}
export type Viewer = Awaited<ReturnType<typeof addViewer>>;

type Counts = Awaited<ReturnType<typeof readCounts>>;

/** Reads every member of every album. */
export const recount = async (database: TestDatabase, ids: readonly string[]): Promise<Counts> =>
  [
    ...(await database.sql<Counts>`
      select album.id as "albumId", album.name, shown.*,
        (select json_object_agg(owner_id, assets) from (
          select asset.owner_id, count(*) as assets
          from album_asset join asset on asset.id = asset_id where album_id = album.id
            and visibility in ('timeline', 'archive') and locked_at is null and trashed_at is null
          group by 1) by_owner) as contributors
      from album cross join lateral (
        select count(*)::int as "assetCount", min(local_taken_at)::text as start,
          max(local_taken_at)::text as end, max(asset.updated_at) as modified,
          (array_agg(asset.id order by asset.id = album.cover_id desc nulls last,
            local_taken_at desc, asset.id desc))[1] as "coverId"
        from album_asset join asset on asset.id = asset_id where album_id = album.id
          and visibility in ('timeline', 'archive') and locked_at is null and trashed_at is null) shown
      where album.id = any(${ids as string[]}::uuid[]) order by album.id`),
  ].map((row) => ({ ...row, modified: row.modified && new Date(row.modified) }));

/** The counts as albums show them. */
export const readCounts = async ({ session, ctx }: Viewer, ids: readonly string[]) => {
  const rows = [...(await summarize(ctx.db, session, ids)).values()];
  const contributors = async (id: string) => {
    const counts = await countByContributor(ctx.db, session, id);
    return counts.length === 0
      ? null
      : Object.fromEntries(counts.map(({ userId, assetCount }) => [userId, assetCount]));
  };
  return Promise.all(
    rows
      .toSorted((a, b) => (a.albumId < b.albumId ? -1 : 1))
      .map(async (row) => ({
        ...row,
        modified: row.modified && new Date(row.modified),
        contributors: await contributors(row.albumId),
      })),
  );
};

/** By what is kept, and by the index of the members that a page of a month reads. */
export const listMonths = async ({ ctx }: Viewer, ids: readonly string[]) =>
  Promise.all(
    ids.map(async (albumId) => {
      const buckets = await listBuckets(ctx, { albumId });
      return Promise.all(
        buckets.map(async ({ timeBucket, count }) => {
          const { bytes } = await getBucket(ctx, { albumId }, timeBucket, () => false);
          const { id } = JSON.parse(new TextDecoder().decode(bytes)) as { id: string[] };
          return [timeBucket, count, id];
        }),
      );
    }),
  );

export const recountMonths = async (database: TestDatabase, ids: readonly string[]) => {
  const rows = await database.sql`
    select album_id as "albumId", date_trunc('month', local_taken_at)::date::text as month,
      count(*)::int as count, json_agg(asset.id order by local_taken_at desc, asset.id desc) as items
    from album_asset join asset on asset.id = asset_id
    where album_id = any(${ids as string[]}::uuid[])
      and visibility in ('timeline', 'archive') and locked_at is null and trashed_at is null
    group by 1, 2 order by 2 desc`;
  const of = (id: string) => rows.filter((row) => row['albumId'] === id);
  return ids.map((id) => of(id).map((row) => [row['month'], row['count'], row['items']]));
};

/** Whether the items of the album are read, as its first or last was removed. */
export const isInDoubt = async (database: TestDatabase, albumId: string) =>
  (await database.sql`select is_in_doubt from album_sum where album_id = ${albumId}`)[0]?.[
    'is_in_doubt'
  ];
/** Number of rows that its counts are summed from. */
export const countRows = async (database: TestDatabase, albumId: string) =>
  (await database.sql`select 1 from album_count where album_id = ${albumId}`).length;
export const fold = (database: TestDatabase, ids: readonly string[]) =>
  database.db.transaction((tx) => foldAlbums(tx, ids));
