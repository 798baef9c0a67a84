import { closeSync, openSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { Failure } from '../core/command-line.ts';
import { getFreeBytes } from '../core/disk-reserve.ts';
import type { DataPaths } from '../core/paths.ts';
import type { Db } from '../db/client.ts';
import { listAppliedMigrations } from '../db/migrate.ts';
import { findBackupsFault } from '../storage/library-folders.ts';
import {
  isBeforeThisUpdate,
  isOwnBackup,
  pruneUpdateBackups,
  writeBackup,
} from './backup-files.ts';
import { readContents } from './dump-contents.ts';
import { getReplacedAt, listReplaced } from './replacement.ts';
import { LEFT_BYTES } from './space.ts';

// The backup that is made before the migrations of an update, while others may go on writing.

type Options = {
  readonly url: string;
  readonly db: Db;
  readonly sql: Sql;
  readonly paths: Pick<DataPaths, 'backups'>;
  readonly now: Date;
  readonly signal: AbortSignal;
  readonly onBegin?: () => void;
};

/** A backup that was made for another reason is used for this long. */
const RECENT_MS = 3_600_000;
const SPACE_CHECK_MS = 1000;

/**
 * Makes the backup, unless there is one. Returns the name of its file; undefined for a library without accounts. Throws
 * Failure while the folder is away, or has no space.
 */
export async function backUpBeforeUpdate(options: Options): Promise<string | undefined> {
  const { url, db, sql, paths, now, signal, onBegin } = options;
  if ((await sql`select from app_user limit 1`).length === 0) return undefined;
  const fault = await findBackupsFault(db, paths);
  if (fault !== undefined) throw new Failure(fault);
  const found = await findUpdateBackup(options);
  if (found !== undefined) return found;
  onBegin?.();
  const written = await abortWhenFull(paths.backups, (full) =>
    writeBackup(url, paths.backups, {
      kind: 'update',
      now,
      signal: AbortSignal.any([signal, full]),
    }),
  );
  await pruneUpdateBackups(paths.backups);
  return written;
}

/**
 * Returns the newest backup that shows the database before the update: younger than an hour, and of this schema, or made
 * by this version for an update that has begun since.
 */
async function findUpdateBackup({ url, sql, paths, now }: Options): Promise<string | undefined> {
  const replaced = (await listReplaced(url)).at(-1);
  const since = Math.max(
    now.getTime() - RECENT_MS,
    // A second at most is between the name and the moment.
    replaced === undefined ? 0 : getReplacedAt(replaced).getTime() + 1000,
  );
  const applied = await listAppliedMigrations(sql);
  const files = (await readdir(paths.backups).catch(() => [])).filter(isOwnBackup);
  const dated = await Promise.all(
    files.map(async (name) => ({ name, at: (await stat(join(paths.backups, name))).mtimeMs })),
  );
  const recent = dated
    .filter(({ at }) => at >= since && at <= now.getTime() + RECENT_MS)
    .toSorted((a, b) => b.at - a.at);
  for (const { name } of recent) {
    const held = await listMigrations(join(paths.backups, name));
    if (held.length === 0 || !held.every((one) => applied.includes(one))) continue;
    if (held.length === applied.length || isBeforeThisUpdate(name)) return name;
  }
  return undefined;
}

/** Returns the migrations of the database of a dump; none for one that is damaged. */
async function listMigrations(file: string): Promise<string[]> {
  const dump = openSync(file, 'r');
  try {
    return (await readContents(dump, file)).migrations.map(({ name }) => name);
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  } finally {
    closeSync(dump);
  }
}

/** Runs the work with a signal that is aborted before the disk is full: the database may be on it. */
async function abortWhenFull<T>(
  folder: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const full = new AbortController();
  const checking = setInterval(() => {
    if (getFreeBytes(folder) >= LEFT_BYTES) return;
    full.abort(new Failure(`There is not enough free disk space for the backup in ${folder}`));
  }, SPACE_CHECK_MS);
  try {
    return await work(full.signal);
  } finally {
    clearInterval(checking);
  }
}
