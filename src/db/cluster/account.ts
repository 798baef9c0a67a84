import { listUsers } from '../../core/account.ts';
import type { Account } from '../../core/account.ts';
import { getUid } from '../../core/process-user.ts';
import { ClusterError } from './errors.ts';

/** initdb looks up its own user, so an id without a name cannot make a cluster. */
export function requireNamedUser(account: Account | undefined): void {
  const uid = account?.uid ?? getUid();
  if (listUsers().some((user) => user.uid === uid)) return;
  throw new ClusterError(
    `User id ${uid} has no entry in /etc/passwd, and PostgreSQL needs one to make its folder. ` +
      `Run as a user with a name, or set DATABASE_URL.`,
  );
}
