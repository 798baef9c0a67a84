import { eq } from 'drizzle-orm';
import type { Sql } from 'postgres';
import { newSecret, sha256 } from '../core/hash.ts';
import type { Db } from '../db/client.ts';
import { sessions, users } from '../db/tables/identity.ts';
import { getRow } from '../db/query.ts';

/** Returns the token of a new session of an administrator; undefined without one. */
export async function createCheckSession(db: Db): Promise<string | undefined> {
  const [admin] = await db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.isAdmin, true))
    .limit(1);
  if (!admin) return undefined;
  const token = newSecret();
  await db.insert(sessions).values({ userId: admin.id, tokenHash: sha256(token) });
  return token;
}

export async function deleteCheckSession(db: Db, token: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.tokenHash, sha256(token)));
}

/** Whether an account may administrate the server. */
export async function hasAdministrator(sql: Sql): Promise<boolean> {
  const row = getRow(
    await sql<{ found: boolean }[]>`
    select exists (select from app_user where is_admin and deleted_at is null) as found`,
  );
  return row.found;
}
