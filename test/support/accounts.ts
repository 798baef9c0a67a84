import { hashSecret } from '../../src/access/secrets.ts';
import type { App } from '../../src/app.ts';
import type { users } from '../../src/db/tables/identity.ts';
import { call, type Reply, seed, type TestDatabase, type TestUser } from './harness.ts';

export const PASSWORD = 'correct horse';
let passwordHash: Promise<string> | undefined;

/** An account that logs in with `PASSWORD`. */
export async function addAccount(
  database: Pick<TestDatabase, 'db'>,
  over: Partial<typeof users.$inferInsert> = {},
): Promise<TestUser> {
  passwordHash ??= hashSecret(PASSWORD);
  return seed(database).user(['all'], { passwordHash: await passwordHash, ...over });
}

export const logIn = (
  app: App,
  email: string,
  password = PASSWORD,
  headers: Record<string, string> = {},
): Promise<Reply> => call(app, 'POST /auth/login', { body: { email, password }, headers });

export const getCookies = (reply: Reply): string[] => reply.headers.getSetCookie();
