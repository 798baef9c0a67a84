import { and, asc, eq, lt, or, sql } from 'drizzle-orm';
import { removePartnerAssetsFromAlbums } from '../albums/contents/index.ts';
import { deleteDesertedRequests } from '../cluster-groups/index.ts';
import type { Db } from '../../db/client.ts';
import { partners, type UserRow, users } from '../../db/tables/identity.ts';
import { queryRows } from '../../db/query.ts';

const isDue = (before: Date) =>
  or(eq(users.status, 'removing'), and(eq(users.status, 'deleted'), lt(users.deletedAt, before)));

/** Returns accounts that are being removed or were deleted before `before`. */
export async function listDueAccounts(db: Db, before: Date): Promise<string[]> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(isDue(before))
    .orderBy(asc(users.deletedAt), asc(users.id));
  return rows.map((row) => row.id);
}

/** Marks the account as being removed, after which it cannot be restored. Returns undefined if it was restored. */
export async function claimRemoval(db: Db, id: string, before: Date): Promise<UserRow | undefined> {
  const [row] = await db
    .update(users)
    .set({ status: 'removing' })
    .where(and(eq(users.id, id), isDue(before)))
    .returning();
  return row;
}

/** Locks the account until the commit, so that nothing is added to it. */
export async function lockAccount(db: Db, id: string): Promise<void> {
  await db.select({ id: users.id }).from(users).where(eq(users.id, id)).for('update');
}

/** Deletes the account with all rows without files, and items of others that it added to albums. */
export async function deleteAccount(db: Db, id: string): Promise<void> {
  await db.delete(partners).where(eq(partners.viewerId, id));
  await removePartnerAssetsFromAlbums(db, { addedBy: id });
  await db.delete(users).where(eq(users.id, id));
  await deleteDesertedRequests(db);
  // Blocks folding of counts, which would restore them.
  await queryRows(
    db,
    sql`
    select pg_advisory_xact_lock(hashtext(name))
    from (values ('asset_count'), ('tag_count')) counted (name)`,
  );
  await queryRows(db, sql`delete from asset_count where owner_id = ${id}`);
  await queryRows(db, sql`delete from tag_count where owner_id = ${id}`);
}
