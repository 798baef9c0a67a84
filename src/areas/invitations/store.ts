import { and, asc, eq, gt, isNull, lte } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { type InvitationRow, invitations, users } from '../../db/tables/identity.ts';

/** An invitation and its administrator. */
export type OpenInvitationRow = {
  readonly invitation: InvitationRow;
  readonly inviterName: string;
};

/** An invitation is valid while its inviter is an administrator and the account is not closed. */
const isInviterAdmin = and(
  eq(users.id, invitations.inviterId),
  eq(users.isAdmin, true),
  isNull(users.deletedAt),
);

const selectOpen = (db: Db) =>
  db
    .select({ invitation: invitations, inviterName: users.name })
    .from(invitations)
    .innerJoin(users, isInviterAdmin);

/** Returns the valid invitations of all administrators, the oldest first. */
export const listOpen = async (db: Db, now: Date): Promise<OpenInvitationRow[]> =>
  selectOpen(db)
    .where(gt(invitations.expiresAt, now))
    .orderBy(asc(invitations.createdAt), asc(invitations.id));

export async function findOpen(
  db: Db,
  tokenHash: Uint8Array,
  now: Date,
): Promise<OpenInvitationRow | undefined> {
  const [row] = await selectOpen(db).where(
    and(eq(invitations.tokenHash, tokenHash), gt(invitations.expiresAt, now)),
  );
  return row;
}

/** Returns undefined when the address has an invitation already. */
export async function insertInvitation(
  db: Db,
  invitation: typeof invitations.$inferInsert,
): Promise<InvitationRow | undefined> {
  const [row] = await db.insert(invitations).values(invitation).onConflictDoNothing().returning();
  return row;
}

/** Returns whether it was there: of two who accept it at once, one has deleted it. */
export async function deleteInvitation(db: Db, id: string): Promise<boolean> {
  const rows = await db
    .delete(invitations)
    .where(eq(invitations.id, id))
    .returning({ id: invitations.id });
  return rows.length > 0;
}

export async function deleteExpired(db: Db, now: Date): Promise<void> {
  await db.delete(invitations).where(lte(invitations.expiresAt, now));
}

export async function hasAccount(db: Db, email: string): Promise<boolean> {
  return (await db.$count(users, eq(users.email, email))) > 0;
}
