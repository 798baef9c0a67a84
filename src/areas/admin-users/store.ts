import { and, asc, eq, isNull, type SQL, sql, lt, or } from 'drizzle-orm';
import { badRequest } from '../../core/errors.ts';
import type { Db } from '../../db/client.ts';
import { isDatabaseError } from '../../db/errors.ts';
import { instances, type UserRow, users, partners } from '../../db/tables/identity.ts';
import type { AssetStats, StatisticsFilter, UserFilter } from './schemas.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';
import { removePartnerAssetsFromAlbums } from '../albums/contents/index.ts';
import { deleteDesertedRequests } from '../cluster-groups/index.ts';

/** An account and its used bytes. */
export type UsedUser = { readonly user: UserRow; readonly usageBytes: number };

const usageBytes = sql<number>`coalesce(
  (select sum(bytes) from asset_count where owner_id = ${users.id}), 0)`.mapWith(Number);

export const listUsers = async (db: Db, { id, withDeleted }: UserFilter): Promise<UsedUser[]> =>
  db
    .select({ user: users, usageBytes })
    .from(users)
    .where(
      and(id ? eq(users.id, id) : undefined, withDeleted ? undefined : isNull(users.deletedAt)),
    )
    .orderBy(asc(users.createdAt), asc(users.id));

/** Throws 400 when the e-mail or the storage label belongs to another account. */
export async function insertUser(db: Db, user: typeof users.$inferInsert): Promise<UserRow> {
  try {
    const row = getRow(await db.insert(users).values(user).returning());
    return row;
  } catch (error) {
    if (!isDatabaseError(error, 'uniqueViolation')) throw error;
    const isKnown = ['app_user_email_key', 'app_user_oauth_key'].some((key) =>
      isDatabaseError(error, 'uniqueViolation', key),
    );
    if (isKnown) throw badRequest('User exists');
    throw badRequest('Storage label already in use by another account');
  }
}

/** Returns the account, also a deleted one, locked until the transaction ends. */
export async function lockUser(db: Db, id: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.id, id)).for('update');
  return row;
}

/** Serializes changes of administrators: two who remove each other must not both succeed. */
export async function lockAdmins(db: Db): Promise<void> {
  await db.select().from(instances).for('update');
}

export async function countAdmins(db: Db): Promise<number> {
  return db.$count(users, and(eq(users.isAdmin, true), isNull(users.deletedAt)));
}

/** From the counts that the asset table keeps: never a walk over the assets themselves. */
export async function countAssets(
  db: Db,
  ownerId: string,
  { isFavorite, isTrashed, visibility }: StatisticsFilter,
): Promise<AssetStats> {
  const conditions: SQL[] = [
    sql`owner_id = ${ownerId}`,
    sql`is_trashed = ${isTrashed ?? false}`,
    toScopeCondition(visibility),
    ...(isFavorite === undefined ? [] : [sql`is_favorite = ${isFavorite}`]),
  ];
  const rows = await queryRows(
    db,
    { type: column.text, assets: column.numeric },
    sql`
    select type, sum(assets) as assets from asset_count
    where ${sql.join(conditions, sql` and `)} group by type`,
  );
  const of = (type: string) => Number(rows.find((row) => row.type === type)?.assets ?? 0);
  const [images, videos, audio] = [of('IMAGE'), of('VIDEO'), of('AUDIO')];
  return { images, videos, audio, total: images + videos + audio };
}

const toScopeCondition = (visibility: StatisticsFilter['visibility']): SQL => {
  if (visibility === undefined) return sql`visibility <> 'hidden' and not is_locked`;
  if (visibility === 'locked') return sql`visibility <> 'hidden' and is_locked`;
  return sql`visibility = ${visibility} and not is_locked`;
};

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
