import { sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { Session, UserSession } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { inventoryDigests } from '../../db/tables/backup.ts';

/** Names the set of originals that the account has: equal for equal sets, from a few delta rows. */
export async function fingerprintOf(db: Db, ownerId: string): Promise<string> {
  const [row] = await db.execute<{ fingerprint: string }>(sql`
    select coalesce(sum(assets), 0) || '.' || coalesce(bit_xor(contents), 0) as fingerprint
    from asset_count where owner_id = ${ownerId}`);
  return row!.fingerprint;
}

/**
 * The caller's assets whose original is there as far as the last check knows: shown, archived,
 * hidden, trashed and, after the PIN, locked.
 */
const inventory = (db: Db, session: Session) => sql`(
  select asset.sha256 from ${ownAssets(db, session, 'any')}
  where not exists (select 1 from original
    where original.sha256 = asset.sha256 and original.missing_at is not null)) item`;

/** 256 digests of 32 bytes each, bucket by bucket. Reads every hash: a second for a million. */
export async function computeDigests(db: Db, session: Session): Promise<Uint8Array> {
  const rows = await db.execute<{ bucket: number; digest: Uint8Array }>(sql`
    select get_byte(sha256, 0) as bucket,
      sha256(string_agg(distinct sha256, ''::bytea order by sha256)) as digest
    from ${inventory(db, session)} group by get_byte(sha256, 0)`);
  const empty = new Bun.CryptoHasher('sha256').digest();
  const digests = Buffer.alloc(256 * 32);
  for (let bucket = 0; bucket < 256; bucket++) digests.set(empty, bucket * 32);
  for (const { bucket, digest } of rows) digests.set(digest, bucket * 32);
  return digests;
}

/** Those kept from before, if the inventory is still the same. */
export async function findDigests(
  db: Db,
  ownerId: string,
  fingerprint: string,
): Promise<Uint8Array | undefined> {
  const [row] = await db.execute<{ digests: Uint8Array }>(sql`
    select digests from inventory_digest
    where owner_id = ${ownerId} and fingerprint = ${fingerprint}`);
  return row?.digests;
}

export async function keepDigests(
  db: Db,
  ownerId: string,
  fingerprint: string,
  digests: Uint8Array,
): Promise<void> {
  await db
    .insert(inventoryDigests)
    .values({ ownerId, fingerprint, digests })
    .onConflictDoUpdate({ target: inventoryDigests.ownerId, set: { fingerprint, digests } });
}

/** Those of `hashes` (hex) that the caller's inventory lacks, in the order given. */
export async function lackedAmong(
  db: Db,
  session: UserSession,
  hashes: readonly string[],
): Promise<string[]> {
  const rows = await db.execute<{ hash: string }>(sql`
    select hash from unnest(${`{${hashes.join(',')}}`}::text[]) with ordinality given (hash, place)
    where not exists (
      select 1 from ${inventory(db, session)} where item.sha256 = decode(given.hash, 'hex'))
    order by place`);
  return rows.map((row) => row.hash);
}
