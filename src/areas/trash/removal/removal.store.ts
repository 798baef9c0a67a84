import { backgroundAssets } from '../../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { deleteEmbeddings } from '../../../inference/index.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { scheduleDeletion } from '../../../storage/index.ts';
import { type ItemSelection, selectUnchanged } from '../moves/item-set.store.ts';
import { removeFiles } from '../jobs.ts';
import { uuids } from '../../../db/arrays.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

/** Items per removal, which holds the locks on their originals. */
const ITEMS_PER_REMOVAL = 200;

/**
 * Deletes assets permanently and records their files for deletion, in the caller's transaction. The
 * video of a live photo is deleted with the last still that uses it; one that was an item before
 * becomes an item again. Returns the number of items. The caller enqueues `removeFiles`.
 */
export async function deleteRows(db: Db, chosen: ItemSelection): Promise<number> {
  const items = await queryRows(
    db,
    { id: column.uuid, live_video_id: column.uuid.orNull },
    selectUnchanged(chosen, sql`true`, sql.raw('update')),
  );
  if (items.length === 0) return 0;
  const itemIds = items.map((row) => row.id);
  const videoIds = items.flatMap((row) => row.live_video_id ?? []);
  const halves = await lockPairedVideos(db, videoIds, itemIds);
  const ids = [...new Set([...itemIds, ...halves])];
  await recordFiles(db, ids, itemIds);
  await deleteRelations(db, ids);
  await deleteListedMetadata(db, ids);
  await deleteAssetRows(db, ids);
  return items.length;
}

/** Deletes links and faces while the state of their assets, by which they count, is known; and all vectors. */
async function deleteRelations(db: Db, ids: readonly string[]): Promise<void> {
  const isOfAssets = sql`asset_id = any(${uuids(ids)})`;
  await queryRows(db, sql`delete from album_asset where ${isOfAssets}`);
  await queryRows(db, sql`delete from tag_asset where ${isOfAssets}`);
  const parts = await queryRows(
    db,
    { id: column.uuid },
    sql`
    with face as (delete from face where ${isOfAssets} returning id)
    select id from face union all select id from video_frame where ${isOfAssets}`,
  );
  await deleteEmbeddings(db, [...ids, ...parts.map(({ id }) => id)]);
}

/** Promotes a copy of a deleted asset to the asset that its checksum finds. */
async function deleteAssetRows(db: Db, ids: readonly string[]): Promise<void> {
  await queryRows(
    db,
    sql`
    with gone as (
      delete from ${backgroundAssets} where id = any(${uuids(ids)}) returning owner_id, sha1, is_copy
    ), heir as (
      select distinct on (copy.owner_id, copy.sha1) copy.id
      from gone join ${backgroundAssets} copy on copy.owner_id = gone.owner_id and copy.sha1 = gone.sha1
      where copy.is_copy and copy.library_id is null and not gone.is_copy and copy.id <> all(${uuids(ids)})
      order by copy.owner_id, copy.sha1, copy.created_at, copy.id
    )
    update ${backgroundAssets} set is_copy = false, updated_at = now() from heir where asset.id = heir.id`,
  );
}

/**
 * Deletes the metadata of listed assets by set: cells of the map then count it at once, not asset by asset.
 * Everything else goes by the cascade, which searches each table for each asset anyway.
 */
async function deleteListedMetadata(db: Db, ids: readonly string[]): Promise<void> {
  await queryRows(
    db,
    sql`
    delete from asset_exif where asset_id in (
      select id from ${backgroundAssets}
      where id = any(${uuids(ids)}) and is_listed(visibility, locked_at, trashed_at))`,
  );
}

/**
 * Returns the videos to delete with these stills, and makes those items again that were items before.
 */
async function lockPairedVideos(db: Db, videoIds: readonly string[], stillIds: readonly string[]) {
  if (videoIds.length === 0) return [];
  const rows = await queryRows(
    db,
    { id: column.uuid, standalone: column.boolean },
    sql`
    select id, standalone_visibility is not null and id <> all(${uuids(stillIds)}) as standalone
    from ${backgroundAssets} video where id = any(${uuids(videoIds)})
      and not exists (select from ${backgroundAssets} other where other.live_video_id = video.id
        and other.id not in (select unnest(${uuids(stillIds)})))
    order by id for update`,
  );
  const released = rows.filter((row) => row.standalone).map((row) => row.id);
  if (released.length > 0) {
    await queryRows(
      db,
      sql`
      update ${backgroundAssets} set visibility = standalone_visibility, standalone_visibility = null,
        trashed_at = null, updated_at = now()
      where id = any(${uuids(released)})`,
    );
  }
  return rows.filter((row) => !row.standalone).map((row) => row.id);
}

/** Records the files of these assets for deletion and deletes their rows. */
async function recordFiles(db: Db, ids: readonly string[], itemIds: readonly string[]) {
  await queryRows(
    db,
    sql`
    with item as materialized (select unnest(${uuids(itemIds)}) as id),
    gone as materialized (
      select asset.id, asset.owner_id, asset.sha256, asset.id in (select id from item) as is_item,
        (row_number() over (partition by asset.owner_id order by asset.id) - 1)
          / ${ITEMS_PER_REMOVAL}::int as part
      from ${backgroundAssets} where asset.id = any(${uuids(ids)})
    ), file as (
      delete from asset_file where asset_id = any(${uuids(ids)}) returning asset_id, name
    ), named as (
      select gone.owner_id, gone.part, array_agg(name) as names from gone join (
        select asset_id, name from file
        union all select asset_id, name from video_frame where asset_id = any(${uuids(ids)})
      ) one on one.asset_id = gone.id
      group by gone.owner_id, gone.part
    )
    insert into removed_file (owner_id, items, hashes, names)
    select owner_id, items, hashes, coalesce(names, '{}')
    from (
      select owner_id, part, count(*) filter (where is_item) as items, array_agg(sha256) as hashes
      from gone group by owner_id, part
    ) parts left join named using (owner_id, part)`,
  );
}

const REMOVAL_COLUMNS = {
  id: column.bigint,
  items: column.integer,
  /** Hex. */
  hashes: column.textArray,
  /** Relative to the derived folder. */
  names: column.textArray,
};

export type Removal = InferRow<typeof REMOVAL_COLUMNS>;

/** The next files to remove, locked until commit. */
export async function lockNextRemoval(db: Db): Promise<Removal | undefined> {
  const [row] = await queryRows(
    db,
    REMOVAL_COLUMNS,
    sql`
    select id, items, array(select encode(hash, 'hex') from unnest(hashes) hash) as hashes, names
    from removed_file where retry_at <= now() order by retry_at, id limit 1 for update skip locked`,
  );
  return row;
}

const decodeHashes = (hashes: readonly string[]) =>
  sql`array(select decode(hash, 'hex') from unnest(${`{${hashes.join(',')}}`}::text[]) hash)`;

export type LockedOriginals = {
  /** Locked by us until commit: uploads and removals of these originals wait. */
  readonly locked: ReadonlySet<string>;
  /** Locked by others: retried later. */
  readonly busy: ReadonlySet<string>;
};

export async function lockOriginals(db: Db, hashes: readonly string[]): Promise<LockedOriginals> {
  const rows = await queryRows(
    db,
    { hash: column.text },
    sql`
    select encode(sha256, 'hex') as hash from original where sha256 = any(${decodeHashes(hashes)})
    order by sha256 for update skip locked`,
  );
  const locked = new Set(rows.map((row) => row.hash));
  const others = await queryRows(
    db,
    { hash: column.text },
    sql`
    select encode(sha256, 'hex') as hash from original where sha256 = any(${decodeHashes(hashes)})`,
  );
  const busy = others.map((row) => row.hash).filter((hash) => !locked.has(hash));
  return { locked, busy: new Set(busy) };
}

/** Returns those of `hashes` that an asset uses. Reliable only while the originals are locked. */
export async function filterUsed(db: Db, hashes: Iterable<string>): Promise<ReadonlySet<string>> {
  const rows = await queryRows(
    db,
    { hash: column.text },
    sql`
    select encode(hash, 'hex') as hash from unnest(${decodeHashes([...hashes])}) hash
    where exists (select from ${backgroundAssets} where asset.sha256 = hash)`,
  );
  return new Set(rows.map((row) => row.hash));
}

/** Deletes rows of originals, and schedules the deletion of their objects. */
export async function deleteOriginals(db: Db, hashes: readonly string[]): Promise<void> {
  const gone = await queryRows(
    db,
    { objectKey: column.text.orNull },
    sql`
    delete from original where sha256 = any(${decodeHashes(hashes)})
    returning object_key as "objectKey"`,
  );
  const keys = gone.flatMap(({ objectKey }) => objectKey ?? []);
  await scheduleDeletion(db, keys, 0);
}

/** Deletes the removal, or keeps what is left of it for a later run with exponential backoff. */
export async function updateRemoval(
  db: Db,
  { id, items }: Removal,
  left: Pick<Removal, 'hashes' | 'names'>,
): Promise<void> {
  if (left.hashes.length + left.names.length === 0) {
    await queryRows(db, sql`delete from removed_file where id = ${id}`);
    return;
  }
  await queryRows(
    db,
    sql`
    update removed_file set hashes = ${decodeHashes(left.hashes)},
      names = array(select jsonb_array_elements_text(${JSON.stringify(left.names)}::jsonb)),
      items = ${Math.min(items, Math.max(left.hashes.length, 1))},
      attempts = attempts + 1,
      retry_at = now() + least(1440, 2 ^ least(attempts, 11)) * interval '1 minute'
    where id = ${id}`,
  );
}

/**
 * Deletes assets permanently with the videos of live photos, and enqueues the deletion of their files.
 * Returns the number of items. Does not check access. Call it in a transaction, with at most some
 * thousand ids.
 */
export async function deleteAssetsWithFiles(db: Db, ids: readonly string[]): Promise<number> {
  const removed = await deleteRows(db, { ids });
  if (removed > 0) await enqueue(db, removeFiles, {});
  return removed;
}
