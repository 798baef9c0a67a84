import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { toStamp } from '../core/dates.ts';
import { Failure } from '../core/command-line.ts';
import { isWorkAllowed } from '../core/disk-reserve.ts';
import { AppError, badRequest, invalidField, notFound } from '../core/errors.ts';
import { getDatabaseName } from '../core/postgres-url.ts';
import { getSize, toUrl, withConnection } from '../db/databases.ts';
import { dumpDatabase } from '../db/dump.ts';
import { detectFormat } from '../db/plain-dump.ts';
import { requireOwnTables } from './plain-contents.ts';
import { listReplaced } from './replacement.ts';
import { requireDumpSpace } from './space.ts';
import { type Form, readForm } from '../multipart/multipart.ts';

// The files of the backup folder, for the application and for maintenance mode: nothing here needs a
// database.

// Dumps of the schedule have a name of their own: those that somebody has made are never deleted.

const NAMES = { scheduled: 'safelight-scheduled-', manual: 'safelight-manual-' } as const;
/** Whether a file is a dump of the schedule. */
export const isScheduled = (file: string) =>
  file.startsWith(NAMES.scheduled) && file.endsWith('.dump');
/** Whether the server has written a dump, by the schedule or because somebody has asked. */
export const isWritten = (file: string) =>
  Object.values(NAMES).some((name) => file.startsWith(name)) && file.endsWith('.dump');
/** A killed backup leaves it. */
const isUnfinished = (file: string) =>
  Object.values(NAMES).some((name) => file.startsWith(name)) && file.endsWith('.partial');

type BackupOptions = {
  /** 'manual': somebody has asked for it. */
  readonly kind: keyof typeof NAMES;
  readonly now: Date;
  readonly signal: AbortSignal;
};

/** Writes a dump to the folder. It appears when it is complete. Throws Failure, or the abort reason. */
export async function writeBackup(
  url: string,
  folder: string,
  { kind, now, signal }: BackupOptions,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await removeAll(folder, (await readdir(folder)).filter(isUnfinished));
  requireDumpSpace(folder, await withConnection(url, (sql) => getSize(sql, getDatabaseName(url))));
  await dumpDatabase(url, join(folder, `${NAMES[kind]}${toStamp(now)}.dump`), { signal });
}

/** Deletes all dumps of the schedule but the newest. */
export const pruneBackups = (folder: string, keep: number): Promise<void> =>
  prune(folder, keep, isScheduled);

async function prune(
  folder: string,
  keep: number,
  isSort: (file: string) => boolean,
): Promise<void> {
  const dumps = (await readdir(folder)).filter(isSort).sort();
  await removeAll(folder, dumps.slice(0, Math.max(0, dumps.length - keep)));
}

const REPLACED_NAME = 'safelight-before-';
const isReplaced = (file: string) => file.startsWith(REPLACED_NAME) && file.endsWith('.dump');
const KEPT_REPLACED = 3;

/**
 * Writes a dump of each database that was replaced by an update or a restore, as long as it is kept, and
 * deletes all such dumps but the newest. Returns the names of the new ones.
 */
export async function backUpReplaced(
  url: string,
  folder: string,
  signal: AbortSignal,
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const written: string[] = [];
  for (const name of (await listReplaced(url)).slice(-KEPT_REPLACED)) {
    const file = `${REPLACED_NAME}${name.slice(name.lastIndexOf('_') + 1)}.dump`;
    if (await Bun.file(join(folder, file)).exists()) continue;
    await dumpDatabase(toUrl(url, name), join(folder, file), { signal });
    written.push(file);
  }
  await prune(folder, KEPT_REPLACED, isReplaced);
  return written;
}

const removeAll = (folder: string, names: readonly string[]) =>
  Promise.all(names.map((name) => rm(join(folder, name), { force: true })));

/** A name without a folder: nothing else in the folder, or outside it, can be read or deleted. */
export const isBackupName = (name: string) =>
  /^[A-Za-z0-9][\w.-]{0,200}\.(?:dump|sql|sql\.gz)$/.test(name);

/** Returns the path of a backup. Throws 400 for a name that is none, 404 when it does not exist. */
export async function findBackup(
  folder: string,
  name: string,
): Promise<{ readonly path: string; readonly size: number }> {
  if (!isBackupName(name)) throw badRequest('Invalid backup name!');
  const path = join(folder, name);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw notFound('Backup');
  return { path, size: found.size };
}

/** Returns a backup as a file to download. Throws like `findBackup`. */
export const getDownload = async (folder: string, fileName: string) => ({
  ...(await findBackup(folder, fileName)),
  type: 'application/octet-stream',
  cacheControl: 'private, no-cache, no-transform',
  disposition: { kind: 'attachment', fileName } as const,
});

/** Returns the backups, newest first. */
export async function listBackups(folder: string) {
  const names = (await readdir(folder).catch(() => [])).filter(isBackupName);
  const found = await Promise.all(
    names.map(async (filename) => {
      const facts = await stat(join(folder, filename)).catch(() => undefined);
      return facts?.isFile() ? [{ filename, facts }] : [];
    }),
  );
  const backups = found
    .flat()
    .sort((a, b) => b.facts.mtimeMs - a.facts.mtimeMs || (a.filename < b.filename ? 1 : -1))
    // The time in a name is UTC.
    .map(({ filename, facts }) => ({ filename, filesize: facts.size, timezone: 'UTC' }));
  return { backups };
}

/** Deletes these backups, or none of them. */
export async function deleteBackups(folder: string, names: readonly string[]): Promise<void> {
  const found = await Promise.all(names.map((name) => findBackup(folder, name)));
  await Promise.all(found.map(({ path }) => rm(path, { force: true })));
}

/** The first bytes of a dump: an archive of pg_dump, plain SQL through gzip, plain SQL. */
const BEGINNINGS = [Buffer.from('PGDMP'), Buffer.from([0x1f, 0x8b]), Buffer.from('--')];
const MAX_BEGINNING = 5;

const isBeginning = (head: Buffer): boolean =>
  BEGINNINGS.some((bytes) => {
    const length = Math.min(bytes.length, head.length);
    return head.subarray(0, length).equals(bytes.subarray(0, length));
  });

/** Stores an uploaded backup as `uploaded-…`. It appears when it is complete. */
export async function saveUploadedBackup(
  folder: string,
  reserveBytes: number,
  form: Form,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const building = join(folder, `.upload-${randomUUID()}.partial`);
  const file = await open(building, 'wx+', 0o600);
  let name: string | undefined;
  try {
    let head = Buffer.alloc(0);
    await readForm(form, async (field, fileName = '') => {
      if (field !== 'file' || name !== undefined) return undefined;
      name = basename(fileName);
      if (!isBackupName(name)) throw badRequest('Invalid backup name!');
      return {
        async write(chunk) {
          if (head.length < MAX_BEGINNING) {
            head = Buffer.concat([head, chunk.subarray(0, MAX_BEGINNING)]);
            if (!isBeginning(head)) throw badRequest('The file is not a backup of the database');
          }
          if (!isWorkAllowed([folder], reserveBytes))
            throw new AppError('insufficientStorage', 'The server has no space left');
          await file.write(chunk);
        },
      };
    });
    if (name === undefined) throw invalidField('file', 'Required');
    if (head.length < MAX_BEGINNING) throw badRequest('The file is not a backup of the database');
    await requireOwnScript(file.fd, name);
    await file.sync();
    await rename(building, join(folder, `uploaded-${name}`));
  } finally {
    await file.close();
    await rm(building, { force: true });
  }
}

/** Throws 400 for a dump in plain SQL that is not ours; pg_restore looks at an archive before it is restored. */
async function requireOwnScript(dump: number, name: string): Promise<void> {
  const format = detectFormat(dump);
  if (format === 'archive') return;
  try {
    await requireOwnTables(dump, format, name);
  } catch (error) {
    throw error instanceof Failure ? badRequest(error.message) : error;
  }
}
