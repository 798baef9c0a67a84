import { dlopen } from 'bun:ffi';
import { closeSync, existsSync, openSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from './log.ts';
import type { DataPaths } from './paths.ts';

// What is kept free on the disk of the data folder, from the top down: uploads stop at the reserve
// (areas/uploads/space.ts), jobs that write files at half of it (isWorkAllowed). A file holds what the
// database needs to start and to delete, and is removed when others have filled the disk after all.

const FILE_NAME = '.reserve';
const LARGEST_FILE = 64 * 1024 ** 2;
/** Two segments of WAL. Below it the database may stop at any statement. */
const LEAST_FREE = 32 * 1024 ** 2;
const CHECK_MS = 5000;

export const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/** What jobs that write files leave free. */
export const workFloor = (reserveBytes: number): number => reserveBytes / 2;

/** Whether they may go on. Not while the folder cannot be reached, as when its disk is not mounted. */
export function isWorkAllowed(folder: string, reserveBytes: number): boolean {
  try {
    return freeBytes(folder) >= workFloor(reserveBytes);
  } catch {
    return false;
  }
}

/** Removes the file when the disk is full. To be called before the database is started. */
export function releaseReserve({ root }: Pick<DataPaths, 'root'>, log: Log): void {
  const path = join(root, FILE_NAME);
  if (!existsSync(path) || freeBytes(root) >= LEAST_FREE) return;
  rmSync(path);
  log.warn('the disk is full: released the reserve of the database', { free: freeBytes(root) });
}

/** Makes the file when there is room for it beside the reserve. */
function fillReserve({ root }: Pick<DataPaths, 'root'>, reserveBytes: number): void {
  const path = join(root, FILE_NAME);
  const size = Math.min(LARGEST_FILE, Math.floor(reserveBytes / 4));
  if (size === 0 || existsSync(path) || freeBytes(root) < reserveBytes + size) return;
  const file = openSync(path, 'wx', 0o600);
  try {
    allocate(file, size);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Blocks of the disk without writing them: posix_fallocate(3). */
function allocate(file: number, size: number): void {
  const libc = dlopen('libc.so.6', {
    posix_fallocate: { args: ['i32', 'i64', 'i64'], returns: 'i32' },
  });
  const code = libc.symbols.posix_fallocate(file, 0, size);
  libc.close();
  if (code !== 0) throw new Error(`posix_fallocate: error ${code}`);
}

/** Looks after the file until it is stopped. */
export function keepReserve(
  paths: Pick<DataPaths, 'root'>,
  reserveBytes: number,
  log: Log,
): { readonly stop: () => void } {
  let hasFailed = false;
  const check = () => {
    try {
      releaseReserve(paths, log);
      fillReserve(paths, reserveBytes);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log.warn('there is no reserve for the database', { error });
      hasFailed = true;
    }
  };
  check();
  const timer = setInterval(check, CHECK_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
