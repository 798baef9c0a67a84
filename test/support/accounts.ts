import type { App } from '../../src/app.ts';
import type { users } from '../../src/db/tables/identity.ts';
import { call, type Reply, seed, type TestDatabase, type TestUser } from './harness.ts';

export const PASSWORD = 'correct horse';

/** A hash that is as cheap as can be to make and to verify, for tests of who is let in. */
export const createCheapHash = (secret: string): Promise<string> =>
  Bun.password.hash(secret, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 });

let passwordHash: Promise<string> | undefined;

/** An account that logs in with `PASSWORD`. */
export async function addAccount(
  database: Pick<TestDatabase, 'db'>,
  over: Partial<typeof users.$inferInsert> = {},
): Promise<TestUser> {
  passwordHash ??= createCheapHash(PASSWORD);
  return seed(database).user(['all'], { passwordHash: await passwordHash, ...over });
}

/** Makes the sessions of an account as fresh as after a login. */
export async function proveSessions(
  { sql }: Pick<TestDatabase, 'sql'>,
  { id }: Pick<TestUser, 'id'>,
  provenAt: Date | null = new Date(),
): Promise<void> {
  const at = provenAt && provenAt.toISOString();
  await sql`update session set proven_at = ${at} where user_id = ${id}`;
}

export const logIn = (
  app: App,
  email: string,
  password = PASSWORD,
  headers: Record<string, string> = {},
): Promise<Reply> => call(app, 'POST /auth/login', { body: { email, password }, headers });

export const getCookies = (reply: Reply): string[] => reply.headers.getSetCookie();
