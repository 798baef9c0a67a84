import { existsSync, lchownSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './command-line.ts';

/** A user of the machine. */
export type Account = { readonly uid: number; readonly gid: number };

/** Made for us; and one that every machine with our database has. */
const SERVICE_USERS = ['safelight', 'postgres'] as const;

/**
 * Whom to be instead of root: the owner of the data folder; where that is root, the first that
 * exists of the user `safelight`, the owner of the database in it, the user `postgres`. Undefined
 * when we are not root: then everything runs as we do. Throws Failure when there is nobody.
 */
export function chooseAccount(dataDir: string, clusterDir: string): Account | undefined {
  const uid = process.getuid!();
  if (uid !== 0) {
    const owner = ownerOf(clusterDir)?.uid ?? uid;
    if (owner === uid) return undefined;
    throw new Failure(
      `${clusterDir} belongs to ${userName(owner)}: start Safelight as that user or as root.`,
    );
  }
  const [own, shared] = SERVICE_USERS.map((name) => users().find((user) => user.name === name));
  const found = notRoot(ownerOf(dataDir)) ?? own ?? notRoot(ownerOf(clusterDir)) ?? shared;
  if (!found) {
    throw new Failure(
      `Safelight does not work as root. Make a user for it: 'useradd --system safelight'.`,
    );
  }
  return { uid: found.uid, gid: found.gid };
}

const notRoot = (owner: Account | undefined) => (owner && owner.uid !== 0 ? owner : undefined);

const ownerOf = (path: string): Account | undefined =>
  existsSync(path) ? statSync(path) : undefined;

/** Hands a whole tree over, its top last: one that was cut short is seen. Links are not followed. */
export function giveTo({ uid, gid }: Account, path: string): void {
  if (lstatSync(path).isDirectory()) {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const child = join(path, entry.name);
      if (entry.isDirectory()) giveTo({ uid, gid }, child);
      else lchownSync(child, uid, gid);
    }
  }
  lchownSync(path, uid, gid);
}

export const userName = (uid: number): string =>
  users().find((user) => user.uid === uid)?.name ?? `uid ${uid}`;

/** Groups that list the user as a member. */
export const groupsOf = (uid: number): number[] => {
  const name = userName(uid);
  return readTable('/etc/group')
    .filter(([, , , members]) => members?.split(',').includes(name))
    .map(([, , gid]) => Number(gid));
};

export const users = () =>
  readTable('/etc/passwd').map(([name, , uid, gid]) => ({
    name: name!,
    uid: Number(uid),
    gid: Number(gid),
  }));

const readTable = (path: string): string[][] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length > 3);
