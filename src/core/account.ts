import {
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from './command-line.ts';
import { getUid } from './process-user.ts';

/** A user of the machine. */
export type Account = { readonly uid: number; readonly gid: number };

/** The user made for Safelight, and one that every machine with PostgreSQL has. */
export const SERVICE_USERS = ['safelight', 'postgres'] as const;

/**
 * Returns the user to run as instead of root: the owner of the data folder; if that is root, the first
 * that exists of the user `safelight`, the owner of the database in it and the user `postgres`.
 * Undefined when the process is not root. Throws Failure when there is no such user.
 */
export function chooseAccount(dataDir: string, clusterDir: string): Account | undefined {
  const uid = getUid();
  if (uid !== 0) {
    const owner = findOwner(clusterDir)?.uid ?? uid;
    if (owner === uid) return undefined;
    throw new Failure(
      `${clusterDir} belongs to ${getUserName(owner)}: start Safelight as that user or as root.`,
    );
  }
  const [own, shared] = SERVICE_USERS.map((name) => listUsers().find((user) => user.name === name));
  const found =
    unlessRoot(findOwner(dataDir)) ?? own ?? unlessRoot(findOwner(clusterDir)) ?? shared;
  if (!found) {
    throw new Failure(
      `Safelight does not work as root. Make a user for it: 'useradd --system safelight'.`,
    );
  }
  return { uid: found.uid, gid: found.gid };
}

const unlessRoot = (owner: Account | undefined) => (owner && owner.uid !== 0 ? owner : undefined);

const findOwner = (path: string): Account | undefined =>
  existsSync(path) ? statSync(path) : undefined;

/** Changes the owner of a tree, its top last, so that an interrupted run shows. Follows no links. */
export function changeOwner({ uid, gid }: Account, path: string): void {
  if (lstatSync(path).isDirectory()) {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const child = join(path, entry.name);
      if (entry.isDirectory()) changeOwner({ uid, gid }, child);
      else lchownSync(child, uid, gid);
    }
  }
  lchownSync(path, uid, gid);
}

/**
 * Makes a folder that is missing, and those above it, for an account: as root, where only root may. Where root may
 * not either, or files have no owners, the account finds out.
 */
export function createFolderFor({ uid, gid }: Account, path: string): void {
  if (existsSync(path)) return;
  try {
    const first = mkdirSync(path, { recursive: true, mode: 0o700 });
    for (let made = path; first && made.length >= first.length; made = dirname(made)) {
      lchownSync(made, uid, gid);
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
  }
}

export const getUserName = (uid: number): string =>
  listUsers().find((user) => user.uid === uid)?.name ?? `uid ${uid}`;

/** Lists the groups that name the user as a member. */
export const listGroupIds = (uid: number): number[] => {
  const name = getUserName(uid);
  return readTable('/etc/group')
    .filter(([, , , members]) => members?.split(',').includes(name))
    .map(([, , gid]) => Number(gid));
};

export const listUsers = () =>
  readTable('/etc/passwd').map(([name = '', , uid, gid]) => ({
    name,
    uid: Number(uid),
    gid: Number(gid),
  }));

const readTable = (path: string): string[][] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length > 3);
