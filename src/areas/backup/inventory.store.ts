import { sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { Session, UserSession } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { inventoryDigests } from '../../db/tables/backup.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';

/** Returns a fingerprint of the account's set of originals, computed from stored counts. */
export async function computeFingerprint(db: Db, ownerId: string): Promise<string> {
  const row = getRow(
    await queryRows(
      db,
      { fingerprint: column.text },
      sql`
    select coalesce(sum(assets), 0) || '.' || coalesce(bit_xor(contents), 0) as fingerprint
    from asset_count where owner_id = ${ownerId}`,
    ),
  );
  return row.fingerprint;
}

/**
 * Selects the caller's assets whose original exists according to the last check: listed, archived, hidden,
 * trashed and, in an elevated session, Locked.
 */
const selectInventory = (db: Db, session: Session) => sql`(
  select asset.sha256 from ${ownAssets(db, session, 'any')}
  where not exists (select 1 from original
    where original.sha256 = asset.sha256 and original.missing_at is not null)) item`;

/** Returns 256 digests of 32 bytes, bucket by bucket. Reads every hash: 1 s for a million. */
export async function computeDigests(db: Db, session: Session): Promise<Uint8Array> {
  const rows = await queryRows(
    db,
    { bucket: column.integer, digest: column.bytea },
    sql`
    select get_byte(sha256, 0) as bucket,
      sha256(string_agg(distinct sha256, ''::bytea order by sha256)) as digest
    from ${selectInventory(db, session)} group by get_byte(sha256, 0)`,
  );
  const empty = new Bun.CryptoHasher('sha256').digest();
  const digests = Buffer.alloc(256 * 32);
  for (let bucket = 0; bucket < 256; bucket++) digests.set(empty, bucket * 32);
  for (const { bucket, digest } of rows) digests.set(digest, bucket * 32);
  return digests;
}

/** Returns the stored digests if the inventory has not changed. */
export async function findDigests(
  db: Db,
  ownerId: string,
  fingerprint: string,
): Promise<Uint8Array | undefined> {
  const [row] = await queryRows(
    db,
    { digests: column.bytea },
    sql`
    select digests from inventory_digest
    where owner_id = ${ownerId} and fingerprint = ${fingerprint}`,
  );
  return row?.digests;
}

export async function saveDigests(
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

/** Returns the hashes (hex) that the caller's inventory lacks, in the given order. */
export async function filterMissing(
  db: Db,
  session: UserSession,
  hashes: readonly string[],
): Promise<string[]> {
  const rows = await queryRows(
    db,
    { hash: column.text },
    sql`
    select hash from unnest(${`{${hashes.join(',')}}`}::text[]) with ordinality given (hash, place)
    where not exists (
      select 1 from ${selectInventory(db, session)} where item.sha256 = decode(given.hash, 'hex'))
    order by place`,
  );
  return rows.map((row) => row.hash);
}
