import { and, asc, eq, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { assetMetadata } from '../../db/tables/assets.ts';

const { assetId, key, value, updatedAt } = assetMetadata;
const ENTRY = { key, value, updatedAt };

/** What programs keep about an asset; the caller has checked who may read it. */
export const listEntries = (db: Db, id: string) =>
  db.select(ENTRY).from(assetMetadata).where(eq(assetId, id)).orderBy(asc(key));

export async function findEntry(db: Db, id: string, name: string) {
  const [row] = await db
    .select(ENTRY)
    .from(assetMetadata)
    .where(and(eq(assetId, id), eq(key, name)));
  return row;
}

/** Each key once: a statement may not touch a row twice. */
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
  const gone = await db
    .delete(assetMetadata)
    .where(and(eq(assetId, id), eq(key, name)))
    .returning({ key });
  return gone.length > 0;
}
