import { unscopedAssets as assets } from '../../../access/unscoped.ts';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { SharedLinkSession } from '../../../access/session.ts';
import { visibleAssets } from '../../../access/scope.ts';
import type { Db } from '../../../db/client.ts';
import { prepareQuery } from '../../../db/query.ts';
import { albumAssets, albums, sharedLinkAssets } from '../../../db/tables/albums.ts';
import { assetCounts } from '../../../db/tables/asset-counts.ts';
import { assetFiles, assetMetadata, originals } from '../../../db/tables/assets.ts';
import { users } from '../../../db/tables/identity.ts';

export type Account = { readonly quotaBytes: number | null; readonly timeZone: string | null };

/** Undefined for an account that was deleted. */
export async function findAccount(db: Db, userId: string): Promise<Account | undefined> {
  const [row] = await db
    .select({ quotaBytes: users.quotaBytes, timeZone: users.timeZone })
    .from(users)
    .where(and(eq(users.id, sql.placeholder('userId')), isNull(users.deletedAt)))
    .prepare('uploads.findAccount')
    .execute({ userId });
  return row;
}

/** Whoever counts against the quota waits for this lock, until the other one's asset is counted. */
export async function lockQuota(db: Db, userId: string): Promise<number | null> {
  const [row] = await db
    .select({ quotaBytes: users.quotaBytes })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update');
  return row?.quotaBytes ?? null;
}

export async function usedBytes(db: Db, userId: string): Promise<number> {
  const [row] = await db
    .select({ bytes: sql`coalesce(sum(${assetCounts.bytes}), 0)`.mapWith(Number) })
    .from(assetCounts)
    .where(eq(assetCounts.ownerId, userId));
  return row?.bytes ?? 0;
}

export type Known = {
  readonly id: string;
  /** Hex. */
  readonly sha1: string;
  readonly isTrashed: boolean;
  readonly isLocked: boolean;
  readonly sha256: Uint8Array;
  /** Of the original, in bytes. */
  readonly size: number;
  /** The last check found no file with these bytes. */
  readonly isDoubted: boolean;
};

/**
 * The owner's assets with these digests (hex), trashed and locked ones too. One probe of the unique
 * index per digest, whatever the planner thinks of the table: after the first big upload it still
 * believes the table to be small, and would read all of it.
 */
export async function findKnown(
  db: Db,
  ownerId: string,
  sha1s: readonly string[],
): Promise<Known[]> {
  const digests = `{${sha1s.map((hex) => `"\\\\x${hex}"`).join(',')}}`;
  return selectKnown(db, { digests, ownerId });
}

const selectKnown = prepareQuery<Known>(sql`
    select asset.id, encode(asset.sha1, 'hex') as sha1, asset.sha256,
      asset.trashed_at is not null as "isTrashed", asset.locked_at is not null as "isLocked",
      original.size::float8 as size, original.missing_at is not null as "isDoubted"
    from unnest(${sql.placeholder('digests')}::text::bytea[]) as given (sha1)
    cross join lateral (
      select * from ${assets}
      where owner_id = ${sql.placeholder('ownerId')} and asset.sha1 = given.sha1 and not is_copy
      limit 1
    ) asset
    join original on original.sha256 = asset.sha256`);

/**
 * Locks the row of these bytes until commit, and makes it if there is none. Returns what is on record.
 * Waits for a deletion that is under way.
 */
export async function lockOriginal(
  db: Db,
  sha256: Uint8Array,
  size: number,
): Promise<Pick<Known, 'size' | 'isDoubted'>> {
  const [row] = await db
    .insert(originals)
    .values({ sha256, size })
    .onConflictDoUpdate({ target: originals.sha256, set: { size: sql`${originals.size}` } })
    .returning({
      size: originals.size,
      isDoubted: sql<boolean>`missing_at is not null`,
    })
    .prepare('uploads.lockOriginal')
    .execute();
  return row!;
}

/** The caller sees to the file, whatever the last check has found. */
export async function clearDoubt(db: Db, sha256: Uint8Array): Promise<void> {
  await db.update(originals).set({ missingAt: null }).where(eq(originals.sha256, sha256));
}

/** Everybody's assets with these bytes. */
export const findAssetsOf = (db: Db, sha256: Uint8Array) =>
  db.select({ id: assets.id, type: assets.type }).from(assets).where(eq(assets.sha256, sha256));

export type NewAsset = typeof assets.$inferInsert & { readonly id: string };

/** False when the owner already has an asset with this SHA-1. */
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

/** Beside the asset with this SHA-1 that the owner has. */
export async function insertCopy(db: Db, asset: NewAsset): Promise<void> {
  await db.insert(assets).values({ ...asset, isCopy: true });
  await insertExif(db, { id: asset.id });
}

/** An asset with these bytes that the link shows, whoever owns it. */
export async function findShown(
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

export async function insertFile(db: Db, file: typeof assetFiles.$inferInsert): Promise<void> {
  await db.insert(assetFiles).values(file);
}

/** Puts what a guest uploaded where the link shows it. */
export async function addToLink(
  db: Db,
  link: { readonly linkId: string; readonly albumId: string | undefined },
  assetId: string,
): Promise<void> {
  if (!link.albumId) {
    await db
      .insert(sharedLinkAssets)
      .values({ linkId: link.linkId, assetId })
      .onConflictDoNothing();
    return;
  }
  const added = await db
    .insert(albumAssets)
    .values({ albumId: link.albumId, assetId })
    .onConflictDoNothing()
    .returning({ assetId: albumAssets.assetId });
  if (added.length === 0) return;
  await db
    .update(albums)
    .set({ updatedAt: sql`now()` })
    .where(eq(albums.id, link.albumId));
}
