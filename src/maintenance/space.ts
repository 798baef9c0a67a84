import { formatBytes } from '../core/byte-format.ts';
import { Failure } from '../core/command-line.ts';
import { getFreeBytes } from '../core/disk-reserve.ts';
import type { Settings } from '../core/settings.ts';

/**
 * Bytes of a database for each byte of its dump: five for a library of 300,000 items, and what the server
 * needs for its log while it reads one.
 */
export const RESTORED_BYTES = 6;
const DUMPED_BYTES = 5;

/** Returns the folder on the disk of the database; undefined when it is on another machine. */
export const getDatabaseFolder = (
  settings: Pick<Settings, 'databaseUrl' | 'dataDir'>,
): string | undefined => (settings.databaseUrl ? undefined : settings.dataDir);

/** Throws Failure, before anything is begun, when there is too little space on the disk of a folder. */
export function requireSpace(work: string, folder: string | undefined, needed: number): void {
  if (folder === undefined) return;
  const free = getFreeBytes(folder);
  if (free >= needed) return;
  throw new Failure(
    `The ${work} needs ${formatBytes(needed)} of free disk space, there are ${formatBytes(free)}.`,
  );
}

/** A database whose disk is full ends, and the library with it. */
export const LEFT_BYTES = 64 * 1024 ** 2;
const CHECKED_BYTES = 8 * 1024 ** 2;

/** Passes bytes on while there is space on the disk of a folder: few of them may become many. */
export async function* whileSpaceLasts(
  source: AsyncIterable<Uint8Array>,
  work: string,
  folder: string | undefined,
): AsyncGenerator<Uint8Array> {
  let unchecked = CHECKED_BYTES;
  for await (const chunk of source) {
    unchecked += chunk.length;
    if (unchecked >= CHECKED_BYTES) {
      requireSpace(work, folder, LEFT_BYTES);
      unchecked = 0;
    }
    yield chunk;
  }
}

/** The same for a dump of a database of this size. */
export const requireDumpSpace = (folder: string, databaseBytes: number): void =>
  requireSpace('backup', folder, Math.ceil(databaseBytes / DUMPED_BYTES));
