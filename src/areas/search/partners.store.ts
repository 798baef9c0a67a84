import { and, eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { partners } from '../../db/tables/users.ts';

/** Accounts that share their Timeline with the viewer, but not where its pictures were taken. */
export async function sharersWithoutPlaces(db: Db, viewerId: string): Promise<string[]> {
  const rows = await db
    .select({ id: partners.sharerId })
    .from(partners)
    .where(and(eq(partners.viewerId, viewerId), eq(partners.hidesPlaces, true)));
  return rows.map((row) => row.id);
}
