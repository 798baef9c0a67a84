import { and, eq, isNull } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { instances, type UserRow, users } from '../../db/tables/identity.ts';
import { getRow } from '../../db/query.ts';

/** Locks the row of the installation until commit: one request makes the first administrator. */
export async function lockInstance(db: Db): Promise<void> {
  await db.select().from(instances).for('update');
}

export async function insertAdmin(
  db: Db,
  admin: Pick<typeof users.$inferInsert, 'email' | 'name' | 'passwordHash'>,
): Promise<UserRow> {
  const row = getRow(
    await db
      .insert(users)
      .values({ ...admin, isAdmin: true, shouldChangePassword: true, storageLabel: 'admin' })
      .returning(),
  );
  await db.update(instances).set({ adminId: row.id });
  return row;
}

export async function findByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(and(eq(users.email, email), isNull(users.deletedAt)));
  return row;
}
