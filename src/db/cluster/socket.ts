import {
  accessSync,
  chownSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '../../core/account.ts';
import { getUid } from '../../core/process-user.ts';

/** sockaddr_un holds 108 bytes with the closing zero; PostgreSQL adds its file name. */
const LONGEST = 107 - '/.s.PGSQL.5432'.length;

/**
 * A private folder for the server's socket, the same one at every start. It is not in the data
 * folder, whose path may be longer than a socket's may be or lie on a network share.
 */
export function prepareSocketDir(
  clusterDir: string,
  account: Account | undefined,
  env: Record<string, string | undefined> = process.env,
): string {
  const uid = account?.uid ?? getUid();
  const mark = new Bun.CryptoHasher('sha256').update(clusterDir).digest('hex').slice(0, 10);
  for (const parent of parents(env)) {
    const path = join(parent, `safelight-${uid}-${mark}`);
    if (Buffer.byteLength(path) <= LONGEST && claim(path, uid, account)) return path;
  }
  // Somebody else sits on our name in /tmp: take one that nobody can guess.
  const path = mkdtempSync('/tmp/safelight-');
  if (account) chownSync(path, account.uid, account.gid);
  return path;
}

const parents = (env: Record<string, string | undefined>): string[] =>
  [
    // systemd: may list several folders.
    env['RUNTIME_DIRECTORY']?.split(':')[0],
    getUid() === 0 ? '/run' : env['XDG_RUNTIME_DIR'],
    tmpdir(),
    '/tmp',
  ].filter((path): path is string => !!path && isWritable(path));

/** Makes the folder or takes over our own; false if it is somebody else's or open to others. */
function claim(path: string, uid: number, account: Account | undefined): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    if (account) chownSync(path, account.uid, account.gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
  }
  const found = lstatSync(path);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) return false;
  // Left by a killed server: its lock file names a process id that may be another's by now.
  for (const name of readdirSync(path)) rmSync(join(path, name));
  return true;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
