import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { apiKeys, sessions, users } from '../db/tables/identity.ts';
import { getRow, queryRows } from '../db/query.ts';

export const findAccount = async (db: Db, email: string) =>
  (
    await db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.email, email), isNull(users.deletedAt)))
  )[0];

/** The first administrator also ends the first-run sign-up. */
export const insertAdmin = (
  db: Db,
  account: { email: string; name: string; passwordHash: string },
): Promise<string> =>
  db.transaction(async (tx) => {
    const { id } = getRow(
      await tx
        .insert(users)
        .values({ ...account, isAdmin: true, status: 'active' })
        .returning({ id: users.id }),
    );
    await queryRows(tx, sql`update instance set admin_id = ${id} where admin_id is null`);
    return id;
  });

/** Every device has to log in again, unless its session is kept. */
export const replacePassword = (
  db: Db,
  userId: string,
  passwordHash: string,
  { keepsSessions = false }: { readonly keepsSessions?: boolean } = {},
) =>
  db.transaction(async (tx) => {
    await tx
      .update(users)
      .set({ passwordHash, updatedAt: sql`now()` })
      .where(eq(users.id, userId));
    if (!keepsSessions) await tx.delete(sessions).where(eq(sessions.userId, userId));
  });

export const listAccounts = (db: Db) =>
  db
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      isAdmin: users.isAdmin,
      createdAt: users.createdAt,
    })
    .from(users)
    .where(isNull(users.deletedAt))
    .orderBy(asc(users.createdAt), asc(users.id));

export const insertKey = (
  db: Db,
  key: { userId: string; name: string; keyHash: Uint8Array; permissions: string[] },
) => db.insert(apiKeys).values(key);
