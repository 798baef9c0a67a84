import { and, desc, eq } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { getRow } from '../../../db/query.ts';
import { type SavedSearchRow, savedSearches } from '../../../db/tables/searches.ts';

export const listSearches = async (db: Db, ownerId: string): Promise<SavedSearchRow[]> =>
  db
    .select()
    .from(savedSearches)
    .where(eq(savedSearches.ownerId, ownerId))
    .orderBy(desc(savedSearches.createdAt), desc(savedSearches.id));

export const insertSearch = async (
  db: Db,
  search: typeof savedSearches.$inferInsert,
): Promise<SavedSearchRow> => getRow(await db.insert(savedSearches).values(search).returning());

/** Returns false when the account has no such search. */
export async function deleteSearch(db: Db, ownerId: string, id: string): Promise<boolean> {
  const isIt = and(eq(savedSearches.ownerId, ownerId), eq(savedSearches.id, id));
  const rows = await db.delete(savedSearches).where(isIt).returning({ id: savedSearches.id });
  return rows.length > 0;
}
