import { sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import { texts } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

/** Returns the hashes (hex) of which no asset has the file. */
export async function listUnusedHashes(db: Db, hashes: readonly string[]): Promise<string[]> {
  const rows = await queryRows(
    db,
    { hash: column.text },
    sql`
    select hash from unnest(${texts(hashes)}) as hash
    where not exists (select from ${backgroundAssets} where asset.sha256 = decode(hash, 'hex'))`,
  );
  return rows.map(({ hash }) => hash);
}
