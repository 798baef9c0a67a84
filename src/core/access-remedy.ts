import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { getUserName, SERVICE_USERS } from './account.ts';
import { Failure } from './command-line.ts';
import { getEffectiveUid } from './process-user.ts';

// A message about rights names the user, the folder or file that keeps it out, and the command that changes that.

/** Entering a folder is needed for everything below it. */
type Right = 'enter' | 'read' | 'write to';
type Wanted = 'read' | 'write';

const { R_OK, W_OK, X_OK } = constants;

/** Throws Failure when the user of this process may not read or write a path that is there, or make one that is not. */
export function requireAccess(path: string, wanted: Wanted): void {
  const message = describeDenied(path, wanted);
  if (message !== undefined) throw new Failure(message);
}

/**
 * Returns why the user of this process may not use a path, and the command that changes that; undefined if rights
 * are not the reason. Without `wanted` both are, reading first.
 */
export function describeDenied(path: string, wanted?: Wanted): string | undefined {
  const found = findObstacle(resolve(path), wanted);
  if (!found) return undefined;
  const { place, right } = found;
  const user = getUserName(getEffectiveUid());
  const fact = `The user ${user} may not ${right} ${place}`;
  const owner = getUserName(statSync(place).uid);
  // A library is private: its rights are no remedy.
  return SERVICE_USERS.some((name) => name === owner) && owner !== user
    ? `${fact}, which belongs to ${owner}: call the command as root, or as ${owner}.`
    : `${fact}. This changes that: ${formatRemedy(place, right, user)}`;
}

type Obstacle = { readonly place: string; readonly right: Right };

function findObstacle(path: string, wanted: Wanted | undefined): Obstacle | undefined {
  const parents = listParents(path);
  const closed = parents.find((folder) => isDenied(folder, X_OK));
  if (closed !== undefined) return { place: closed, right: 'enter' };
  if (!existsSync(path)) {
    const nearest = parents.findLast((folder) => existsSync(folder));
    return nearest !== undefined && wanted !== 'read' && isDenied(nearest, W_OK)
      ? { place: nearest, right: 'write to' }
      : undefined;
  }
  const search = statSync(path).isDirectory() ? X_OK : 0;
  if (wanted !== 'write' && isDenied(path, R_OK | search)) return { place: path, right: 'read' };
  if (wanted !== 'read' && isDenied(path, W_OK | search)) {
    return { place: path, right: 'write to' };
  }
  return undefined;
}

/** The folders above a path, from the root on. */
function listParents(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...listParents(parent), parent];
}

/** Not on a file system that is read-only, or for a path that does not exist. */
function isDenied(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

function formatRemedy(place: string, right: Right, user: string): string {
  const mount = findMount(place, readFileSync('/proc/self/mounts', 'utf8'));
  if (OWNERLESS.has(mount.type)) {
    const options = `uid=$(id -u ${user}),gid=$(id -g ${user})`;
    const [device, folder] = [mount.device, mount.folder].map(quote);
    return `sudo umount ${folder} && sudo mount -o ${options} ${device} ${folder}`;
  }
  const path = quote(place);
  if (right === 'write to') return `sudo chown ${user}: ${path}`;
  const isFolder = statSync(place).isDirectory();
  const [recursive, bits] = right === 'enter' ? ['', 'x'] : isFolder ? ['-R ', 'rX'] : ['', 'r'];
  // Not on every machine: its package is acl. The other opens the path to all users.
  return Bun.which('setfacl')
    ? `sudo setfacl ${recursive}-m u:${user}:${bits} ${path}`
    : `sudo chmod ${recursive}o+${bits} ${path}`;
}

/** File systems whose files belong to whom the options of the mount say. */
const OWNERLESS = new Set(['vfat', 'msdos', 'exfat', 'ntfs', 'ntfs3', 'fuseblk', 'cifs', 'smb3']);

type Mount = { readonly device: string; readonly folder: string; readonly type: string };

/** Returns the file system of a path, by the text of /proc/self/mounts: fstab(5). */
export function findMount(path: string, mounts: string): Mount {
  const unescape = (text: string) =>
    text.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8)));
  return mounts
    .split('\n')
    .map((line) => line.split(' ').map(unescape))
    .map(([device = '', folder = '', type = '']) => ({ device, folder, type }))
    .filter(({ folder }) => folder !== '' && holds(folder, path))
    .reduce((one, other) => (other.folder.length < one.folder.length ? one : other), NO_MOUNT);
}

const NO_MOUNT: Mount = { device: '', folder: '', type: '' };

const holds = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`);

/** Quotes a path for a shell where it needs that. */
const quote = (path: string): string =>
  /^[\w./:@%+,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
