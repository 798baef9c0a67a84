import { dlopen } from 'bun:ffi';
import { closeSync, existsSync, openSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from './log.ts';
import type { DataPaths } from './paths.ts';

// Free space of the data folder's disk, from the top down: uploads stop at the reserve
// (areas/uploads/publish/space.ts), jobs that write files at half of it (isWorkAllowed). A reserve file
// holds what the database needs to start and to delete; it is removed when the disk is full after all.

const FILE_NAME = '.reserve';
const MAX_FILE_BYTES = 64 * 1024 ** 2;
/** Two segments of WAL, in bytes. Below it the database may stop at any statement. */
export const MIN_FREE_BYTES = 32 * 1024 ** 2;
const CHECK_MS = 5000;

export const getFreeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/**
 * Returns the free bytes of the disk that has fewest: originals, derived files and backups may lie on disks of their own.
 * Folders but the first may be missing: they will be made on the disk of the first.
 */
export function getLeastFreeBytes(folder: string, ...others: readonly string[]): number {
  const free = others.map((other) => (existsSync(other) ? getFreeBytes(other) : Infinity));
  return Math.min(getFreeBytes(folder), ...free);
}

/** Returns the bytes that jobs which write files leave free. */
export const getJobSpaceFloor = (reserveBytes: number): number => reserveBytes / 2;

/**
 * Whether such jobs may write to these folders. False while the first is unreachable, as when its disk is not mounted.
 */
export function isWorkAllowed(
  [folder, ...others]: readonly [string, ...string[]],
  reserveBytes: number,
): boolean {
  try {
    return getLeastFreeBytes(folder, ...others) >= getJobSpaceFloor(reserveBytes);
  } catch {
    return false;
  }
}

/** Removes the reserve file when the disk is full and its space is enough: before the database is started. */
export function releaseReserve({ root }: Pick<DataPaths, 'root'>, log: Log): void {
  const path = join(root, FILE_NAME);
  const free = getFreeBytes(root);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined || free >= MIN_FREE_BYTES || free + size < MIN_FREE_BYTES) return;
  rmSync(path);
  log.warn('disk full, released the database reserve', { free: getFreeBytes(root) });
}

/** Creates the reserve file when there is room for it beside the reserve. */
function fillReserve({ root }: Pick<DataPaths, 'root'>, reserveBytes: number): void {
  const path = join(root, FILE_NAME);
  const size = Math.min(MAX_FILE_BYTES, Math.floor(reserveBytes / 4));
  if (size === 0 || existsSync(path) || getFreeBytes(root) < reserveBytes + size) return;
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

/** Allocates blocks of the disk without writing them: posix_fallocate(3). */
function allocate(file: number, size: number): void {
  const libc = dlopen('libc.so.6', {
    posix_fallocate: { args: ['i32', 'i64', 'i64'], returns: 'i32' },
  });
  const code = libc.symbols.posix_fallocate(file, 0, size);
  libc.close();
  if (code !== 0) throw new Error(`posix_fallocate: error ${code}`);
}

/** Creates the reserve file when there is room for it, until it is stopped. */
export function maintainReserve(
  paths: Pick<DataPaths, 'root'>,
  reserveBytes: number,
  log: Log,
): { readonly stop: () => void } {
  let hasFailed = false;
  const check = () => {
    try {
      fillReserve(paths, reserveBytes);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log.warn('database reserve cannot be created', { error });
      hasFailed = true;
    }
  };
  check();
  const timer = setInterval(check, CHECK_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
