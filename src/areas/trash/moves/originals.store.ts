import { sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

/** Returns those of these originals (SHA-256 in hex) that an asset outside the trash uses. */
export async function filterUsedOutsideTrash(
  db: Db,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await queryRows(
    db,
    { hash: column.text },
    sql`
    select hash from unnest(${`{${hashes.join(',')}}`}::text[]) hash
    where exists (select from ${backgroundAssets}
      where asset.sha256 = decode(hash, 'hex') and asset.trashed_at is null)`,
  );
  return new Set(rows.map((row) => row.hash));
}

/** Returns the items outside the trash whose own content this original (SHA-256 in hex) is. */
export async function listItemsWithOriginal(db: Db, hash: string): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from ${backgroundAssets}
    where asset.sha256 = decode(${hash}, 'hex') and asset.trashed_at is null and not exists (
      select from ${backgroundAssets} still where still.live_video_id = asset.id)`,
  );
  return rows.map((row) => row.id);
}

/** Returns an item of each of these originals (SHA-256 in hex), outside the trash if there is one. */
export async function findItemsByOriginal(
  db: Db,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map();
  const rows = await queryRows(
    db,
    { hash: column.text, id: column.uuid },
    sql`
    select distinct on (hash) hash, asset.id
    from unnest(${`{${hashes.join(',')}}`}::text[]) hash
    join ${backgroundAssets} on asset.sha256 = decode(hash, 'hex')
    order by hash, (asset.trashed_at is not null), asset.id`,
  );
  return new Map(rows.map(({ hash, id }) => [hash, id]));
}

/** Locks assets until commit: nobody adds a derived file meanwhile. */
export async function lockAssets(db: Db, ids: readonly string[]): Promise<void> {
  await queryRows(
    db,
    sql`select from ${backgroundAssets} where id = any(${uuids(ids)}) order by id for update`,
  );
}
