import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { uuids } from '../../../db/arrays.ts';
import { apiKeys } from '../../../db/tables/identity.ts';

/** Returns the permissions of those of the keys that have not been revoked, by id. */
export async function readKeyPermissions(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: apiKeys.id, permissions: apiKeys.permissions })
    .from(apiKeys)
    .where(sql`${apiKeys.id} = any(${uuids(ids)})`);
  return new Map(rows.map(({ id, permissions }) => [id, new Set(permissions)]));
}
