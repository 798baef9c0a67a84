import { existsSync, lchownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterError } from './errors.ts';

/** Whom the server runs as. PostgreSQL refuses root, and so do we. */
export type Account = { readonly uid: number; readonly gid: number };

/**
 * As root: the owner of the cluster, else of the data folder, else the first of these users that
 * exists. As anybody else: undefined, the server runs as we do.
 */
const SERVICE_USERS = ['safelight', 'postgres'];

export function chooseAccount(dataDir: string, clusterDir: string): Account | undefined {
  const uid = process.getuid!();
  if (uid !== 0) {
    const owner = existsSync(clusterDir) ? statSync(clusterDir).uid : uid;
    if (owner === uid) return undefined;
    throw new ClusterError(
      `${clusterDir} belongs to ${userName(owner)}: start Safelight as that user or as root.`,
    );
  }
  for (const folder of [clusterDir, dataDir]) {
    if (!existsSync(folder)) continue;
    const owner = statSync(folder);
    if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  }
  const users = passwd();
  const found = SERVICE_USERS.map((name) => users.find((user) => user.name === name)).find(Boolean);
  if (!found) {
    throw new ClusterError(
      `The database does not run as root. Make a user for it: 'useradd --system safelight'.`,
    );
  }
  return { uid: found.uid, gid: found.gid };
}

/** initdb looks up its own user, so an id without a name cannot make a cluster. */
export function requireNamedUser(account: Account | undefined): void {
  const uid = account?.uid ?? process.getuid!();
  if (passwd().some((user) => user.uid === uid)) return;
  throw new ClusterError(
    `User id ${uid} has no entry in /etc/passwd, and PostgreSQL needs one to make its folder. ` +
      `Run as a user with a name, or set DATABASE_URL.`,
  );
}

/** Hands a whole tree over; links are not followed. */
export function giveTo(account: Account, path: string): void {
  lchownSync(path, account.uid, account.gid);
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    lchownSync(join(path, name), account.uid, account.gid);
  }
}

const userName = (uid: number) => passwd().find((user) => user.uid === uid)?.name ?? `uid ${uid}`;

const passwd = () =>
  readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length > 3)
    .map(([name, , uid, gid]) => ({ name: name!, uid: Number(uid), gid: Number(gid) }));
