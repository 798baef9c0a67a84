import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { toStamp } from '../core/dates.ts';
import { Failure } from '../core/command-line.ts';
import { isWorkAllowed } from '../core/disk-reserve.ts';
import { AppError, badRequest, invalidField, notFound } from '../core/errors.ts';
import { getDatabaseName } from '../core/postgres-url.ts';
import { VERSION } from '../core/version.ts';
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

const NAMES = {
  scheduled: 'safelight-scheduled-',
  manual: 'safelight-manual-',
  update: `safelight-before-${VERSION.replaceAll(/[^\w.-]/g, '-')}-`,
} as const;
const STAMP = String.raw`\d{8}T\d{6}Z`;
const SCHEDULED = new RegExp(`^safelight-scheduled-${STAMP}\\.dump$`);
const UPDATE = new RegExp(`^safelight-before-(\\d[\\w.-]*)-(${STAMP})\\.dump$`);
/** A database that was replaced, or a cluster. */
const REPLACED = /^safelight-before-\d{8}t\d{6}z\.dump$/;

/** Whether a file is a dump of the schedule. */
export const isScheduled = (file: string) => SCHEDULED.test(file);
/** Whether a file is a dump that was made before the update to this version. */
export const isBeforeThisUpdate = (file: string) =>
  UPDATE.test(file) && file.startsWith(NAMES.update);
/** Whether a file is a dump of the database of then, and not of another one that it has replaced. */
export const isOwnBackup = (file: string) =>
  file.startsWith('safelight-') && file.endsWith('.dump') && !REPLACED.test(file);
/** Whether the server has written a dump: by the schedule, because somebody has asked, or before an update. */
export const isWritten = (file: string) =>
  UPDATE.test(file) || new RegExp(`^safelight-(?:scheduled|manual)-${STAMP}\\.dump$`).test(file);

type BackupOptions = {
  /** 'manual': somebody has asked for it. */
  readonly kind: keyof typeof NAMES;
  readonly now: Date;
  readonly signal: AbortSignal;
};

/**
 * Writes a dump to the folder, and returns its name. It appears when it is complete. Throws Failure, or the abort reason.
 */
export async function writeBackup(
  url: string,
  folder: string,
  { kind, now, signal }: BackupOptions,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  await removeUnfinished(folder, kind);
  requireDumpSpace(folder, await withConnection(url, (sql) => getSize(sql, getDatabaseName(url))));
  const name = `${NAMES[kind]}${toStamp(now)}.dump`;
  await dumpDatabase(url, join(folder, name), { signal });
  return name;
}

/** A killed backup leaves it. A job may be at work on one while an update makes its own. */
async function removeUnfinished(folder: string, kind: BackupOptions['kind']): Promise<void> {
  const kinds = kind === 'update' ? [kind] : (['scheduled', 'manual'] as const);
  const isUnfinished = (file: string) =>
    file.endsWith('.partial') && kinds.some((one) => file.startsWith(NAMES[one]));
  await removeAll(folder, (await readdir(folder)).filter(isUnfinished));
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

/** Dumps of each kind that nobody has asked for and no schedule has made. */
const KEPT = 3;

/** Deletes dumps of updates but the newest, and the first of the last version: it shows the version before. */
export async function pruneUpdateBackups(folder: string): Promise<void> {
  const dumps = (await readdir(folder))
    .flatMap((name) => {
      const [, version, stamp = ''] = UPDATE.exec(name) ?? [];
      return version === undefined ? [] : [{ name, version, stamp }];
    })
    .toSorted((a, b) => (a.stamp < b.stamp ? -1 : 1));
  const first = dumps.find(({ version }) => version === dumps.at(-1)?.version);
  const old = dumps.slice(0, -KEPT).filter((dump) => dump !== first);
  await removeAll(
    folder,
    old.map(({ name }) => name),
  );
}

/**
 * Writes a dump of each database that a restore has replaced, as long as it is kept, and
 * deletes all such dumps but the newest. Returns the names of the new ones.
 */
export async function backUpReplaced(
  url: string,
  folder: string,
  signal: AbortSignal,
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const written: string[] = [];
  for (const name of (await listReplaced(url)).slice(-KEPT)) {
    const file = `safelight-before-${name.slice(name.lastIndexOf('_') + 1)}.dump`;
    if (await Bun.file(join(folder, file)).exists()) continue;
    await dumpDatabase(toUrl(url, name), join(folder, file), { signal });
    written.push(file);
  }
  await prune(folder, KEPT, (file) => REPLACED.test(file));
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
