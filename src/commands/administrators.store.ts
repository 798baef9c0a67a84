import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { instances, type UserRow, users } from '../db/tables/identity.ts';

/** Returns the administrator with this address; without one that of the first sign-up, else the oldest. */
export async function findAdministrator(db: Db, email?: string): Promise<UserRow | undefined> {
  const [row] = await db
    .select({ user: users })
    .from(users)
    .leftJoin(instances, eq(instances.adminId, users.id))
    .where(
      and(
        eq(users.isAdmin, true),
        isNull(users.deletedAt),
        email ? eq(users.email, email) : undefined,
      ),
    )
    .orderBy(desc(sql`${instances.adminId} is not null`), asc(users.createdAt), asc(users.id))
    .limit(1);
  return row?.user;
}

/** 'last': nothing has changed, because no administrator would remain. */
export type RightsChange = 'unknown' | 'unchanged' | 'last' | 'changed';

type Change = {
  readonly email: string;
  readonly isAdmin: boolean;
  /** Whether the last administrator may lose the rights. */
  readonly mayBeLast?: boolean;
};

/** Grants an account the rights of an administrator, or revokes them. */
export const changeRights = (
  db: Db,
  { email, isAdmin, mayBeLast = false }: Change,
): Promise<RightsChange> =>
  db.transaction(async (tx) => {
    // Two who revoke each other must not both succeed, here or on the page.
    const [instance] = await tx.select().from(instances).for('update');
    const administrators = await tx
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.isAdmin, true), isNull(users.deletedAt)));
    const [user] = await tx
      .select()
      .from(users)
      .where(and(eq(users.email, email), isNull(users.deletedAt)))
      .for('update');
    if (!user) return 'unknown';
    if (user.isAdmin === isAdmin) return 'unchanged';
    if (!isAdmin && administrators.length === 1 && !mayBeLast) return 'last';
    await tx
      .update(users)
      .set({ isAdmin, updatedAt: sql`now()` })
      .where(eq(users.id, user.id));
    // Ends the first-run sign-up, which nobody else is to reach while there is no administrator.
    if (!instance?.adminId) await tx.update(instances).set({ adminId: user.id });
    return 'changed';
  });

export const countAdministrators = (db: Db): Promise<number> =>
  db.$count(users, and(eq(users.isAdmin, true), isNull(users.deletedAt)));
