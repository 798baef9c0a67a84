import { and, asc, desc, eq, exists, isNull, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { type UserRow, users } from '../../db/tables/identity.ts';
import { type ClusterGroupRequestRow, clusterGroupRequests } from '../../db/tables/people.ts';
import { getRow, queryRows } from '../../db/query.ts';

const isMember = (groupId: SQL | string, userId?: string) =>
  and(
    eq(users.clusterGroupId, groupId),
    isNull(users.deletedAt),
    userId === undefined ? undefined : eq(users.id, userId),
  );

/** Whether somebody is left in the group that invites, or this account is in it. */
const isOfMember = (db: Db, userId?: string) =>
  exists(
    db
      .select({ one: sql`1` })
      .from(users)
      .where(isMember(sql`${clusterGroupRequests.clusterGroupId}`, userId)),
  );

type Filter = { readonly userId: string } | { readonly clusterGroupId: string };

/** Returns the invitations to an account or of a group, oldest first. */
export async function listRequests(db: Db, filter: Filter): Promise<ClusterGroupRequestRow[]> {
  const condition =
    'userId' in filter
      ? eq(clusterGroupRequests.userId, filter.userId)
      : eq(clusterGroupRequests.clusterGroupId, filter.clusterGroupId);
  return db
    .select()
    .from(clusterGroupRequests)
    .where(and(condition, isOfMember(db)))
    .orderBy(asc(clusterGroupRequests.createdAt), asc(clusterGroupRequests.id));
}

/** Returns the members by name, this account first. */
export async function listMembers(
  db: Db,
  { clusterGroupId, userId }: { readonly clusterGroupId: string; readonly userId: string },
): Promise<UserRow[]> {
  return db
    .select()
    .from(users)
    .where(isMember(clusterGroupId))
    .orderBy(desc(eq(users.id, userId)), asc(users.name), asc(users.id));
}

export async function hasOtherMembers(
  db: Db,
  clusterGroupId: string,
  userId: string,
): Promise<boolean> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(isMember(clusterGroupId), ne(users.id, userId)))
    .limit(1);
  return rows.length > 0;
}

/** Returns the invitation, and whether it is new. */
export async function insertRequest(
  db: Db,
  values: Pick<ClusterGroupRequestRow, 'clusterGroupId' | 'userId' | 'createdAt'>,
): Promise<{ readonly request: ClusterGroupRequestRow; readonly isNew: boolean }> {
  const [made] = await db
    .insert(clusterGroupRequests)
    .values(values)
    .onConflictDoNothing()
    .returning();
  if (made) return { request: made, isNew: true };
  // Written without a change, so that it is read whoever committed it meanwhile.
  const known = getRow(
    await db
      .insert(clusterGroupRequests)
      .values(values)
      .onConflictDoUpdate({
        target: [clusterGroupRequests.clusterGroupId, clusterGroupRequests.userId],
        set: { userId: values.userId },
      })
      .returning(),
  );
  return { request: known, isNew: false };
}

/** Deletes an invitation to the account and returns it; undefined if there is none. */
export async function takeRequest(
  db: Db,
  id: string,
  userId: string,
): Promise<ClusterGroupRequestRow | undefined> {
  const [row] = await db
    .delete(clusterGroupRequests)
    .where(
      and(eq(clusterGroupRequests.id, id), eq(clusterGroupRequests.userId, userId), isOfMember(db)),
    )
    .returning();
  return row;
}

/** Deletes an invitation to the account or of its group. Returns false if there is none. */
export async function deleteRequest(db: Db, id: string, userId: string): Promise<boolean> {
  const rows = await db
    .delete(clusterGroupRequests)
    .where(
      and(
        eq(clusterGroupRequests.id, id),
        or(eq(clusterGroupRequests.userId, userId), isOfMember(db, userId)),
      ),
    )
    .returning({ id: clusterGroupRequests.id });
  return rows.length > 0;
}

/** Moves the account into the group, by default a new one. */
export async function moveAccount(
  db: Db,
  userId: string,
  now: Date,
  clusterGroupId: string = crypto.randomUUID(),
): Promise<void> {
  await db.update(users).set({ clusterGroupId, updatedAt: now }).where(eq(users.id, userId));
  await deleteDesertedRequests(db);
}

/** Deletes the invitations of groups that nobody is in any more. */
export async function deleteDesertedRequests(db: Db): Promise<void> {
  await queryRows(
    db,
    sql`
    delete from cluster_group_request where not exists (
      select from app_user where app_user.cluster_group_id = cluster_group_request.cluster_group_id)`,
  );
}
