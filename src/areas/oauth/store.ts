import { and, eq, inArray, isNotNull, lt } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { oauthLogoutTokens, sessions, type UserRow, users } from '../../db/tables/identity.ts';

/** A subject is known to one issuer only. */
export type Subject = {
  readonly oauthIssuer: string;
  readonly oauthId: string;
};

const isSubject = ({ oauthIssuer, oauthId }: Subject) =>
  and(eq(users.oauthIssuer, oauthIssuer), eq(users.oauthId, oauthId));

/** Returns the account that is linked to the subject, also a deleted one, locked until the transaction ends. */
export async function lockUserBySubject(db: Db, subject: Subject): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(isSubject(subject)).for('update');
  return row;
}

/** Returns the account with the address, also a deleted one, locked until the transaction ends. */
export async function lockUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.email, email)).for('update');
  return row;
}

export const isLabelTaken = async (db: Db, label: string): Promise<boolean> =>
  (await db.$count(users, eq(users.storageLabel, label))) > 0;

type ProviderSession = {
  readonly issuer: string;
  readonly sub: string | undefined;
  readonly sid: string | undefined;
};

/** Ends the sessions of the subject, of the provider's session where one is named. Returns how many. */
export async function deleteOAuthSessions(
  db: Db,
  { issuer, sub, sid }: ProviderSession,
): Promise<number> {
  const owners = db.select({ id: users.id }).from(users);
  const rows = await db
    .delete(sessions)
    .where(
      and(
        sid === undefined
          ? undefined
          : and(eq(sessions.oauthIssuer, issuer), eq(sessions.oauthSid, sid)),
        sub === undefined
          ? undefined
          : inArray(
              sessions.userId,
              owners.where(isSubject({ oauthIssuer: issuer, oauthId: sub })),
            ),
      ),
    )
    .returning({ id: sessions.id });
  return rows.length;
}

/** Records a logout token. Returns false when it has been used before. */
export async function saveLogoutToken(
  db: Db,
  token: { jti: string; expiresAt: Date; now: Date },
): Promise<boolean> {
  const { jti, expiresAt, now } = token;
  await db.delete(oauthLogoutTokens).where(lt(oauthLogoutTokens.expiresAt, now));
  const rows = await db
    .insert(oauthLogoutTokens)
    .values({ jti, expiresAt })
    .onConflictDoNothing()
    .returning({ jti: oauthLogoutTokens.jti });
  return rows.length > 0;
}

/** Unlinks all accounts. Their sessions go on, without the provider. */
export async function unlinkAll(db: Db, now: Date): Promise<void> {
  await db
    .update(users)
    .set({ oauthIssuer: null, oauthId: null, updatedAt: now })
    .where(isNotNull(users.oauthId));
  await db
    .update(sessions)
    .set({ oauthIssuer: null, oauthSid: null, oauthIdToken: null })
    .where(isNotNull(sessions.oauthIssuer));
}
