import { and, asc, eq, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { assetMetadata } from '../../../db/tables/assets.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

const { assetId, key, value, updatedAt } = assetMetadata;
const ENTRY = { key, value, updatedAt };

/** Lists the entries of an asset by key. Does not check access. */
export const listEntries = (db: Db, id: string) =>
  db.select(ENTRY).from(assetMetadata).where(eq(assetId, id)).orderBy(asc(key));

export async function findEntry(db: Db, id: string, name: string) {
  const [row] = await db
    .select(ENTRY)
    .from(assetMetadata)
    .where(and(eq(assetId, id), eq(key, name)));
  return row;
}

/** Takes a map because one statement must not upsert a row twice. */
export const upsertEntries = (
  db: Db,
  id: string,
  entries: ReadonlyMap<string, unknown>,
  now: Date,
) =>
  db
    .insert(assetMetadata)
    .values(
      [...entries].map(([name, item]) => ({ assetId: id, key: name, value: item, updatedAt: now })),
    )
    .onConflictDoUpdate({
      target: [assetId, key],
      set: { value: sql`excluded.value`, updatedAt: sql`excluded.updated_at` },
    })
    .returning(ENTRY);

export async function deleteEntry(db: Db, id: string, name: string): Promise<boolean> {
  const deleted = await db
    .delete(assetMetadata)
    .where(and(eq(assetId, id), eq(key, name)))
    .returning({ key });
  return deleted.length > 0;
}

type Item = { readonly assetId: string; readonly key: string };

/** Each pair of asset and key must occur once: one statement must not upsert a row twice. */
export async function upsertMany(
  db: Db,
  items: readonly (Item & { readonly value: unknown })[],
  now: Date,
) {
  const rows = await queryRows(
    db,
    {
      assetId: column.uuid,
      key: column.text,
      value: column.json<unknown>(),
      updatedAt: column.timestamptz,
    },
    sql`
    insert into asset_metadata (asset_id, key, value, updated_at)
    select item."assetId", item.key, item.value, ${now.toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
      as item ("assetId" uuid, key text, value jsonb)
    order by 1, 2
    on conflict (asset_id, key) do update
      set value = excluded.value, updated_at = excluded.updated_at
    returning asset_id as "assetId", key, value, updated_at as "updatedAt"`,
  );
  return rows.map((row) => ({ ...row, updatedAt: new Date(row.updatedAt) }));
}

export async function deleteMany(db: Db, items: readonly Item[]): Promise<void> {
  await queryRows(
    db,
    sql`
    delete from asset_metadata using jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
      as item ("assetId" uuid, key text)
    where asset_metadata.asset_id = item."assetId" and asset_metadata.key = item.key`,
  );
}
