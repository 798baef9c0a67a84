import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { type Account, chooseAccount, changeOwner, getUserName } from './account.ts';
import { FolderInUse, lockDataFolder } from './data-lock.ts';
import { becomeAccount } from './privileges.ts';
import { dataPaths } from './paths.ts';
import { getUid, setEffectiveGid, setEffectiveUid } from './process-user.ts';
import type { Settings } from './settings.ts';

// The permissions of the data folder: its files belong to the one user as whom everything runs; others
// see nothing, and its group no more than --group-access allows.

export type GroupAccess = Settings['groupAccess'];

/** The umask by group access: never anything for others, at most reading for the group. */
const UMASKS: Record<GroupAccess, number> = { none: 0o077, read: 0o027 };

/** Whether a group with access may read the folder: not unfinished files, nor the database itself. */
export const isSharedFolder = (name: string): boolean =>
  ['originals', 'derived', 'profiles', 'models', 'backups'].includes(name);

export const getUmask = (groupAccess: GroupAccess): number => UMASKS[groupAccess];

type FolderSettings = Pick<Settings, 'dataDir' | 'databaseUrl' | 'groupAccess' | 'port'>;

/**
 * Before anything is written to the data folder. Files are private from now on, and a process that
 * was started as root becomes the owner of the folder. Returns why it could not, for the log.
 */
export function enterDataFolder(
  { dataDir, groupAccess, port, databaseUrl }: FolderSettings,
  { isServer = false }: { readonly isServer?: boolean } = {},
): string | undefined {
  process.umask(getUmask(groupAccess));
  // A command may need nothing but a database that is elsewhere.
  if (!isServer && databaseUrl && !existsSync(dataDir)) return undefined;
  mkdirSync(dataDir, { recursive: true });
  const folder = realpathSync(dataDir);
  const staysRoot = getUid() === 0 ? switchFromRoot(folder, port) : undefined;
  restrictFolders(folder, groupAccess);
  return staysRoot;
}

function switchFromRoot(folder: string, port: number): string | undefined {
  const account = chooseAccount(folder, dataPaths(folder).postgres);
  if (!account) return undefined;
  const user = getUserName(account.uid);
  const reason = changeFolderOwner(folder, account);
  if (reason) return `running as root, not as ${user}: ${reason}`;
  becomeAccount(account, { keepsLowPorts: port > 0 && port < 1024 });
  return undefined;
}

/** Returns why the folder cannot be given to the account; undefined when everything in it is its own. */
function changeFolderOwner(folder: string, account: Account): string | undefined {
  const entries = readdirSync(folder);
  const ours = entries.filter((name) => isSafelightEntry(folder, name));
  // A folder may lie on another disk: root's own links are followed, nobody else's.
  const foreign = ours
    .map((name) => join(folder, name))
    .map((path) => (lstatSync(path).uid === 0 ? realpathSync(path) : path))
    .filter((path) => lstatSync(path).uid !== account.uid);
  const isTaken = statSync(folder).uid === account.uid;
  if (!isTaken && ours.length < entries.length) {
    return `${folder} belongs to root and holds other files too, as ${entries.find((name) => !ours.includes(name))}`;
  }
  const blocked = [folder, process.execPath].find((path) => !canAccess(account, path, folder));
  if (blocked) return `that user cannot reach ${blocked}`;
  if (isTaken && foreign.length === 0) return undefined;
  if (isDatabaseRunning(folder)) return 'the database of an earlier start is still running';
  try {
    const lock = lockDataFolder(folder);
    for (const path of foreign) changeOwner(account, path);
    lchownSync(join(folder, '.lock'), account.uid, account.gid);
    lchownSync(folder, account.uid, account.gid);
    lock.release();
    return undefined;
  } catch (error) {
    if (error instanceof FolderInUse) return 'another Safelight, as root, works on the data folder';
    throw error;
  }
}

/** Whether a database that a killed server left is running. As root all processes are visible. */
function isDatabaseRunning(folder: string): boolean {
  const { postgres } = dataPaths(folder);
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === postgres;
    } catch {
      return false;
    }
  });
}

/** Whether the path could be opened; for the folder itself, which is to be given, only reached. */
function canAccess({ uid, gid }: Account, path: string, folder: string): boolean {
  setEffectiveGid(gid);
  setEffectiveUid(uid);
  try {
    if (path === folder) statSync(path);
    else closeSync(openSync(path, 'r'));
    return true;
  } catch {
    return false;
  } finally {
    setEffectiveUid(0);
    setEffectiveGid(0);
  }
}

function isSafelightEntry(folder: string, name: string): boolean {
  const names = Object.values(dataPaths(folder)).map((path) => basename(path));
  return names.includes(name) || OTHER_ENTRIES.test(name);
}

const OTHER_ENTRIES =
  /^(\.lock|\.permissions|\.reserve|postgres(\.next)?\.building-\d+|postgres\.(next|ready|replaced-\w+))$/;

/** Restricts the top folders at once; the files in them follow in the background, once. */
function restrictFolders(folder: string, groupAccess: GroupAccess): void {
  const { root, postgres, ...others } = dataPaths(folder);
  const paths = [postgres, ...Object.values(others)];
  // Made later, they would be what the umask allows. PostgreSQL makes its own.
  if (groupAccess === 'read') {
    for (const path of Object.values(others)) {
      if (!isSharedFolder(basename(path))) mkdirSync(path, { recursive: true });
    }
  }
  const existing = paths.filter((path) => existsSync(path));
  const isAllOurs = readdirSync(folder).every((name) => isSafelightEntry(folder, name));
  for (const path of isAllOurs ? [root, ...existing] : existing) {
    const isShared = groupAccess === 'read' && (path === root || isSharedFolder(basename(path)));
    const [{ mode, uid }, wanted] = [statSync(path), isShared ? 0o750 : 0o700];
    if ((mode & 0o777) !== wanted && uid === getUid()) chmodSync(path, wanted);
  }
}
