import { ownerAssets as assets, backgroundAssets } from '../../../access/unscoped.ts';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { SharedLinkSession } from '../../../access/session.ts';
import { visibleAssets } from '../../../access/scope.ts';
import { texts } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { getRow, prepareQuery, queryRows } from '../../../db/query.ts';
import { albumAssets, albums, sharedLinkAssets } from '../../../db/tables/albums.ts';
import { assetCounts } from '../../../db/tables/asset-counts.ts';
import { assetFiles, assetMetadata, originals } from '../../../db/tables/assets.ts';
import { users } from '../../../db/tables/identity.ts';

export type UploadAccount = {
  readonly quotaBytes: number | null;
  readonly timeZone: string | null;
};

/** Returns undefined for a deleted user. */
export async function findAccount(db: Db, userId: string): Promise<UploadAccount | undefined> {
  const [row] = await db
    .select({ quotaBytes: users.quotaBytes, timeZone: users.timeZone })
    .from(users)
    .where(and(eq(users.id, sql.placeholder('userId')), isNull(users.deletedAt)))
    .prepare('uploads.findAccount')
    .execute({ userId });
  return row;
}

/** Returns the time zone of an account, null without one. */
export const findAccountZone = async (db: Db, userId: string): Promise<string | null> =>
  (await findAccount(db, userId))?.timeZone ?? null;

/**
 * Locks the user's row, so that concurrent uploads count each other against the quota. Returns the
 * quota in bytes.
 */
export async function lockQuota(db: Db, userId: string): Promise<number | null> {
  const [row] = await db
    .select({ quotaBytes: users.quotaBytes })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update');
  return row?.quotaBytes ?? null;
}

export async function sumUsedBytes(db: Db, userId: string): Promise<number> {
  const [row] = await db
    .select({ bytes: sql`coalesce(sum(${assetCounts.bytes}), 0)`.mapWith(Number) })
    .from(assetCounts)
    .where(eq(assetCounts.ownerId, userId));
  return row?.bytes ?? 0;
}

const EXISTING_ASSET_COLUMNS = {
  id: column.uuid,
  /** Hex. */
  sha1: column.text,
  isTrashed: column.boolean,
  isLocked: column.boolean,
  /** Whether it is a live photo. */
  hasVideo: column.boolean,
  sha256: column.bytea,
  /** Bytes of the original. */
  size: column.float,
  /** The integrity check found the file missing or damaged. */
  isUnverified: column.boolean,
  /** Key of its object; null: it is a file. */
  objectKey: column.text.orNull,
};

export type ExistingAsset = InferRow<typeof EXISTING_ASSET_COLUMNS>;

/**
 * Returns the owner's assets with these SHA-1 digests (hex), also trashed and locked ones. Probes the
 * unique index once per digest: after a first big upload the planner's statistics are stale and it
 * would scan the table.
 */
export async function findBySha1(
  db: Db,
  ownerId: string,
  sha1s: readonly string[],
): Promise<ExistingAsset[]> {
  const digests = `{${sha1s.map((hex) => `"\\\\x${hex}"`).join(',')}}`;
  return selectBySha1(db, { digests, ownerId });
}

const selectBySha1 = prepareQuery(
  EXISTING_ASSET_COLUMNS,
  sql`
    select asset.id, encode(asset.sha1, 'hex') as sha1, asset.sha256,
      asset.trashed_at is not null as "isTrashed", asset.locked_at is not null as "isLocked",
      asset.live_video_id is not null as "hasVideo", original.size::float8 as size, original.missing_at is not null as "isUnverified",
      original.object_key as "objectKey"
    from unnest(${sql.placeholder('digests')}::text::bytea[]) as given (sha1)
    cross join lateral (
      select * from ${assets}
      where owner_id = ${sql.placeholder('ownerId')} and asset.sha1 = given.sha1 and not is_copy
      limit 1
    ) asset
    join original on original.sha256 = asset.sha256`,
);

export type KnownFile = {
  readonly id: string;
  readonly isTrashed: boolean;
  /** Hex. */
  readonly sha256: string;
  /** Bytes of the original. */
  readonly size: number;
};

/**
 * Returns the owner's assets with these SHA-1 digests (hex) by digest, without those whose original the
 * integrity check found missing or damaged. For hundreds of digests: they go, and the assets come, as one
 * text, for half the cost of a list and of rows.
 */
export async function findKnownFiles(
  db: Db,
  ownerId: string,
  sha1s: readonly string[],
): Promise<Map<string, KnownFile>> {
  const [row] = await selectKnownFiles(db, { digests: sha1s.join(''), ownerId });
  return new Map(row?.files?.split(',').map(parseKnownFile));
}

const parseKnownFile = (text: string): [string, KnownFile] => [
  text.slice(0, 40),
  {
    sha256: text.slice(40, 104),
    id: text.slice(104, 140),
    isTrashed: text[140] === '1',
    size: Number(text.slice(141)),
  },
];

const selectKnownFiles = prepareQuery(
  { files: column.text.orNull },
  sql`
    select string_agg(encode(asset.sha1, 'hex') || encode(asset.sha256, 'hex') || asset.id
      || (asset.trashed_at is not null)::int || asset.file_size, ',') as files
    from (select decode(${sql.placeholder('digests')}::text, 'hex') as bytes offset 0) given
    cross join generate_series(0, length(bytes) / 20 - 1) n
    cross join lateral (
      select * from ${assets}
      where owner_id = ${sql.placeholder('ownerId')} and not is_copy
        and asset.sha1 = substr(bytes, 1 + 20 * n, 20)
      limit 1
    ) asset
    where asset.sha256 not in (select sha256 from original where missing_at is not null)`,
);

/** Returns the keys of those originals that are in the object store, by SHA-256 in hex. */
export async function findObjectKeys(
  db: Db,
  hashes: readonly string[],
): Promise<Map<string, string>> {
  const rows = await queryRows(
    db,
    { sha256: column.text, key: column.text },
    sql`
    select encode(sha256, 'hex') as sha256, object_key as key from original
    where object_key is not null and sha256 = any(
      array(select decode(hash, 'hex') from unnest(${texts(hashes)}) hash))`,
  );
  return new Map(rows.map(({ sha256, key }) => [sha256, key]));
}

/**
 * Locks the row of an original until commit and inserts it if necessary: the caller writes its file to our
 * store. Returns the recorded state. Waits for a concurrent deletion.
 */
export async function lockOriginal(
  db: Db,
  sha256: Uint8Array,
  size: number,
): Promise<Pick<ExistingAsset, 'size' | 'isUnverified' | 'objectKey'>> {
  const row = getRow(
    await db
      .insert(originals)
      .values({ sha256, size })
      // Our store has it now, not an external library only.
      .onConflictDoUpdate({ target: originals.sha256, set: { path: null } })
      .returning({
        size: originals.size,
        isUnverified: sql<boolean>`missing_at is not null`,
        objectKey: originals.objectKey,
      })
      .prepare('uploads.lockOriginal')
      .execute(),
  );
  return row;
}

/**
 * Locks the sidecars of assets until commit, also of assets that nobody else sees yet: for the time in which
 * a sidecar is in its place and its row is not committed.
 */
export async function lockSidecars(db: Db, assetIds: readonly string[]): Promise<void> {
  if (assetIds.length === 0) return;
  await db.execute(sql`
    select pg_advisory_xact_lock(hashtext('sidecar'), hashtext(id))
    from (select id from unnest(${texts(assetIds)}) id order by id) ordered`);
}

/** Marks the original as present: the caller writes its file. */
export async function clearMissing(db: Db, sha256: Uint8Array): Promise<void> {
  await db.update(originals).set({ missingAt: null }).where(eq(originals.sha256, sha256));
}

/** Lists the assets of all owners with this original. */
export const listAssetsOfOriginal = (db: Db, sha256: Uint8Array) =>
  db
    .select({ id: backgroundAssets.id, type: backgroundAssets.type })
    .from(backgroundAssets)
    .where(eq(backgroundAssets.sha256, sha256));

export type NewAsset = typeof assets.$inferInsert & { readonly id: string };

/** Returns false when the owner already has an asset with this SHA-1. */
export async function insertAsset(db: Db, asset: NewAsset): Promise<boolean> {
  const rows = await db
    .insert(assets)
    .values(asset)
    .onConflictDoNothing({ target: [assets.ownerId, assets.sha1], where: sql`not is_copy` })
    .returning({ id: assets.id })
    .prepare('uploads.insertAsset')
    .execute();
  if (rows.length === 0) return false;
  await insertExif(db, { id: asset.id });
  return true;
}

/** Inserts an asset beside the owner's asset with the same SHA-1. */
export async function insertCopy(db: Db, asset: NewAsset): Promise<void> {
  await db.insert(assets).values({ ...asset, isCopy: true });
  await insertExif(db, { id: asset.id });
}

/** Returns the id of an asset with these bytes that the link shows, of any owner. */
export async function findVisibleToLink(
  db: Db,
  link: SharedLinkSession,
  sha256: Uint8Array,
): Promise<string | undefined> {
  const asset = visibleAssets(db, link, 'any');
  const [row] = await db
    .select({ id: asset.id })
    .from(asset)
    .where(and(eq(asset.sha256, sha256), sql`${asset.visibility} <> 'hidden'`))
    .limit(1);
  return row?.id;
}

const insertExif = prepareQuery(
  sql`insert into asset_exif (asset_id) values (${sql.placeholder('id')})`,
);

export async function insertMetadata(
  db: Db,
  assetId: string,
  items: readonly { readonly key: string; readonly value: object }[],
): Promise<void> {
  if (items.length === 0) return;
  await db.insert(assetMetadata).values(items.map((item) => ({ assetId, ...item })));
}

export async function saveFile(db: Db, file: typeof assetFiles.$inferInsert): Promise<void> {
  await db
    .insert(assetFiles)
    .values(file)
    .onConflictDoUpdate({ target: [assetFiles.assetId, assetFiles.kind], set: file });
}

/** Adds a guest's asset to the link or its album. Returns whether the album has not had it before. */
export async function addToLink(
  db: Db,
  link: { readonly linkId: string; readonly albumId: string | undefined },
  assetId: string,
): Promise<boolean> {
  if (!link.albumId) {
    await db
      .insert(sharedLinkAssets)
      .values({ linkId: link.linkId, assetId })
      .onConflictDoNothing();
    return false;
  }
  const added = await db
    .insert(albumAssets)
    .values({ albumId: link.albumId, assetId })
    .onConflictDoNothing()
    .returning({ assetId: albumAssets.assetId });
  if (added.length === 0) return false;
  await db
    .update(albums)
    .set({ updatedAt: sql`now()` })
    .where(eq(albums.id, link.albumId));
  return true;
}
