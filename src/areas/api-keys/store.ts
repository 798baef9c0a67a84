import { and, desc, eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { type ApiKeyRow, apiKeys } from '../../db/tables/identity.ts';
import { getRow } from '../../db/query.ts';

type NewKey = typeof apiKeys.$inferInsert;

const isOwn = (userId: string, id: string) => and(eq(apiKeys.userId, userId), eq(apiKeys.id, id));

export const listKeys = async (db: Db, userId: string): Promise<ApiKeyRow[]> =>
  db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.userId, userId))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));

export async function findKey(db: Db, userId: string, id: string): Promise<ApiKeyRow | undefined> {
  const [row] = await db.select().from(apiKeys).where(isOwn(userId, id));
  return row;
}

/** Keeps the row for this transaction: its permissions are checked before it is changed. */
export async function lockKey(db: Db, userId: string, id: string): Promise<ApiKeyRow | undefined> {
  const [row] = await db.select().from(apiKeys).where(isOwn(userId, id)).for('update');
  return row;
}

export async function insertKey(db: Db, key: NewKey): Promise<ApiKeyRow> {
  const row = getRow(await db.insert(apiKeys).values(key).returning());
  return row;
}

export async function updateKey(
  db: Db,
  userId: string,
  id: string,
  change: Partial<NewKey>,
): Promise<ApiKeyRow | undefined> {
  const [row] = await db.update(apiKeys).set(change).where(isOwn(userId, id)).returning();
  return row;
}

/** Returns false when no such key exists. */
export async function deleteKey(db: Db, userId: string, id: string): Promise<boolean> {
  const rows = await db.delete(apiKeys).where(isOwn(userId, id)).returning({ id: apiKeys.id });
  return rows.length > 0;
}
