import { and, asc, eq, lt, or, sql } from 'drizzle-orm';
import { removePartnerAssetsFromAlbums } from '../albums/contents/index.ts';
import type { Db } from '../../db/client.ts';
import { partners, type UserRow, users } from '../../db/tables/identity.ts';

/** How long an account that was deleted can be brought back. */
export const DAYS_UNTIL_REMOVAL = 7;

const isDue = (before: Date) =>
  or(eq(users.status, 'removing'), and(eq(users.status, 'deleted'), lt(users.deletedAt, before)));

/** Accounts that are being removed, or that were deleted before this. */
export async function findDue(db: Db, before: Date): Promise<string[]> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(isDue(before))
    .orderBy(asc(users.deletedAt), asc(users.id));
  return rows.map((row) => row.id);
}

/** From here on it cannot be brought back. Undefined when it was, just before. */
export async function claim(db: Db, id: string, before: Date): Promise<UserRow | undefined> {
  const [row] = await db
    .update(users)
    .set({ status: 'removing' })
    .where(and(eq(users.id, id), isDue(before)))
    .returning();
  return row;
}

/** Until commit, nothing is added to the account. */
export async function hold(db: Db, id: string): Promise<void> {
  await db.select({ id: users.id }).from(users).where(eq(users.id, id)).for('update');
}

/** With everything of the account that has no file, and what it has put of others into albums. */
export async function deleteAccount(db: Db, id: string): Promise<void> {
  await db.delete(partners).where(eq(partners.viewerId, id));
  await removePartnerAssetsFromAlbums(db, { addedBy: id });
  await db.delete(users).where(eq(users.id, id));
  // Nobody folds the counts meanwhile: that would bring them back.
  await db.execute(sql`
    select pg_advisory_xact_lock(hashtext(name))
    from (values ('asset_count'), ('tag_count')) counted (name)`);
  await db.execute(sql`delete from asset_count where owner_id = ${id}`);
  await db.execute(sql`delete from tag_count where owner_id = ${id}`);
}
