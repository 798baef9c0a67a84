import { dlopen } from 'bun:ffi';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './command-line.ts';

/** The data folder is in use by another Safelight: a command may join it, a server may not. */
export class FolderInUse extends Failure {}

const LOCK_EX = 2;
const LOCK_NB = 4;

/**
 * One server per data folder. The kernel drops the lock when the process dies in whatever way, so
 * there is no stale lock; children do not inherit it.
 */
export function lockDataFolder(dataDir: string): { readonly release: () => void } {
  const path = join(dataDir, '.lock');
  const fd = openSync(path, 'a+', 0o600);
  if (!lockFile(fd)) {
    const holder = readFileSync(path, 'utf8').trim();
    closeSync(fd);
    throw new FolderInUse(
      `Another Safelight${holder ? ` (process ${holder})` : ''} is running on ${dataDir}. ` +
        `Stop it first, or choose another folder with --data.`,
    );
  }
  try {
    ftruncateSync(fd);
    writeSync(fd, `${process.pid}\n`);
  } catch {
    // The disk is full: only the message to another process needs the number.
  }
  return { release: () => closeSync(fd) };
}

function lockFile(fd: number): boolean {
  const libc = dlopen('libc.so.6', { flock: { args: ['i32', 'i32'], returns: 'i32' } });
  try {
    return libc.symbols.flock(fd, LOCK_EX | LOCK_NB) === 0;
  } finally {
    libc.close();
  }
}
