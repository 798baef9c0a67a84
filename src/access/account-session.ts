import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { queryPrepared } from '../db/query.ts';
import { ACCOUNT_COLUMNS, ACCOUNT_SHARING, ACCOUNT_VIEW } from './credentials.store.ts';
import type { UserSession } from './session.ts';

/**
 * Returns a session for work that an account did not ask for by a request (mail to it, what is made for it
 * at night): it sees what the account sees without the PIN, and has no permission. Undefined for an account
 * that is gone.
 */
export async function findAccountSession(db: Db, userId: string): Promise<UserSession | undefined> {
  const [account] = await queryPrepared(
    db,
    ACCOUNT_VIEW,
    sql`select ${ACCOUNT_COLUMNS} from app_user ${ACCOUNT_SHARING}
      where app_user.id = ${userId}::uuid and app_user.deleted_at is null`,
  );
  return (
    account && {
      kind: 'user',
      userId: account.userId,
      isAdmin: account.isAdmin,
      sessionId: undefined,
      apiKeyId: undefined,
      device: '',
      unlocked: false,
      isProven: false,
      sharers: account.sharers,
      timelineSharers: account.timelineSharers,
      placelessSharers: account.placelessSharers,
      partialSharers: account.partialSharers,
      contentRules: account.contentRules ?? [],
      permissions: new Set(),
      log: undefined,
    }
  );
}
