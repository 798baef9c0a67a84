import { existsSync, mkdirSync } from 'node:fs';
import type { Sql } from 'postgres';
import { dirname, join, resolve } from 'node:path';
import { listBackups } from '../maintenance/backup-files.ts';
import { reportBackupFailure, reportBackupSuccess } from '../areas/server/index.ts';
import { formatBytes } from '../core/byte-format.ts';
import { requireAccess } from '../core/access-remedy.ts';
import { chooseAccount, createFolderFor } from '../core/account.ts';
import { Failure, UsageError } from '../core/command-line.ts';
import { toStamp } from '../core/dates.ts';
import type { Log } from '../core/log.ts';
import { dataPaths } from '../core/paths.ts';
import { getUid } from '../core/process-user.ts';
import type { Command, Settings } from '../core/settings.ts';
import { type Db, openDatabase } from '../db/client.ts';
import { getDatabaseName } from '../core/postgres-url.ts';
import { getSize, withConnection } from '../db/databases.ts';
import { dumpDatabase } from '../db/dump.ts';
import { getSqlState } from '../db/errors.ts';
import { joinDatabase } from '../db/server.ts';
import { type CopyCounts, copyLibrary } from '../maintenance/copy-library.ts';
import { runRestoreDrill } from '../maintenance/drill.ts';
import { withDump } from '../maintenance/restore.ts';
import { backUpForUpdate } from '../maintenance/update.ts';
import { getDatabaseFolder, requireDumpSpace } from '../maintenance/space.ts';
import { createQuietLog, print } from './command.ts';
import { requireLibraryFolders } from './database.ts';
import { withProgress } from './progress.ts';

export async function backup({ settings, flags }: Command): Promise<number> {
  if (flags.has('--before-update')) return backUpUpdate(settings);
  const log = createQuietLog(settings);
  const folder = toTarget(settings, flags.get('--to'));
  if (folder) prepareTarget(settings, folder);
  const server = await joinDatabase(settings, log);
  try {
    const bad = await writeBackup(server.url, settings, folder).catch(async (error: unknown) => {
      const { message } = error as Error;
      await report(server.url, log, (db) => reportBackupFailure(db, message, new Date()));
      throw error;
    });
    await report(server.url, log, reportBackupSuccess);
    return bad.length > 0 ? 1 : 0;
  } finally {
    await server.stop();
  }
}

/** While the version of before serves: the update by this one needs no more time for it. */
async function backUpUpdate(settings: Settings): Promise<number> {
  const server = await joinDatabase(settings, createQuietLog(settings));
  try {
    const paths = dataPaths(settings.dataDir);
    const name = await backUpForUpdate({ url: server.url, paths });
    print(name === undefined ? 'nothing to back up' : join(paths.backups, name));
    return 0;
  } finally {
    await server.stop();
  }
}

/** Returns the paths of originals that could not be copied. */
async function writeBackup(
  url: string,
  settings: Settings,
  folder: string | undefined,
): Promise<readonly string[]> {
  await withPool(url, (db) => requireLibraryFolders(db, settings)).catch((error: unknown) => {
    // The schema of another version: it is backed up as it is.
    if (!getSqlState(error)?.startsWith('42')) throw error;
  });
  // Before the dump all, after it the uploads of meanwhile: the copies hold all that it names.
  const first = folder && (await copyTo(url, settings, folder));
  const { backups } = dataPaths(folder ?? settings.dataDir);
  const file = join(backups, `safelight-${toStamp(new Date())}.dump`);
  mkdirSync(backups, { recursive: true });
  requireAccess(backups, 'write');
  requireDumpSpace(backups, await withConnection(url, (sql) => getSize(sql, getDatabaseName(url))));
  await withProgress('backup', formatBytes, (onBytes) => dumpDatabase(url, file, { onBytes }));
  if (!folder || !first) {
    print(file);
    return [];
  }
  const second = await copyTo(url, settings, folder);
  const copied = first.copied + second.copied;
  for (const path of second.bad) print(`missing or damaged: ${path}`);
  print(`copied ${copied} originals, ${first.kept} were there, ${second.bad.length} are bad`);
  print(file);
  return second.bad;
}

const copyTo = (url: string, settings: Settings, folder: string): Promise<CopyCounts> =>
  withPool(url, (db, sql) =>
    withProgress('originals', formatBytes, (onBytes) =>
      copyLibrary({ db, sql, settings, paths: dataPaths(settings.dataDir) }, folder, onBytes),
    ),
  );

async function withPool<T>(url: string, work: (db: Db, sql: Sql) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { max: 1, name: 'backup' });
  try {
    return await work(database.db, database.sql);
  } finally {
    await database.close();
  }
}

function toTarget({ dataDir }: Settings, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const [folder, own] = [resolve(given), resolve(dataDir)];
  if (`${folder}/`.startsWith(`${own}/`)) {
    throw new UsageError('--to must be a folder outside the data folder');
  }
  return folder;
}

/** Makes the folders of a backup while the command is root: afterwards it is a user who may not write to a new disk. */
function prepareTarget({ dataDir }: Settings, folder: string): void {
  if (getUid() !== 0 || !existsSync(dataDir)) return;
  const account = chooseAccount(dataDir, dataPaths(dataDir).postgres);
  const { originals, profiles, backups } = dataPaths(folder);
  if (account) for (const path of [originals, profiles, backups]) createFolderFor(account, path);
}

/** Tells administrators on the page; a database that cannot take it does not change the outcome. */
async function report(url: string, log: Log, work: (db: Db) => Promise<void>): Promise<void> {
  await withPool(url, work).catch((error: unknown) => {
    log.warn('notifying administrators failed', { error });
  });
}

export async function restoreDrill({ settings, flags, words }: Command): Promise<number> {
  const file = words[1] ? resolve(words[1]) : await findNewest(settings);
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}`);
  // As the caller: a dump that only root may read.
  const ignoresForeign = flags.has('--ignore-foreign');
  return withDump(file, (dump) => proveBackup(settings, { file, dump, ignoresForeign }));
}

type Backup = Pick<Parameters<typeof runRestoreDrill>[0], 'file' | 'dump' | 'ignoresForeign'>;

async function proveBackup(settings: Settings, backup: Backup): Promise<number> {
  const { file } = backup;
  const server = await joinDatabase(settings, createQuietLog(settings));
  try {
    const folder = dirname(dirname(file));
    const { originals } = dataPaths(folder);
    // Else all of them would count as missing.
    requireAccess(originals, 'read');
    const { accounts, differences, missing } = await withProgress(
      'restore',
      formatBytes,
      (onBytes) =>
        runRestoreDrill({
          ...backup,
          url: server.url,
          folder,
          diskFolder: getDatabaseFolder(settings),
          onBytes,
        }),
    );
    for (const { name, inBackup, now } of differences) {
      print(`changed since: ${name}: ${inBackup} in the backup, ${now} now`);
    }
    print(`${file} can be restored: ${accounts} accounts, ${missing} originals missing`);
    return missing > 0 ? 1 : 0;
  } finally {
    await server.stop();
  }
}

async function findNewest({ dataDir }: Settings): Promise<string> {
  const folder = dataPaths(dataDir).backups;
  const [newest] = (await listBackups(folder)).backups;
  if (!newest) throw new Failure(`There is no backup in ${folder}`);
  return join(folder, newest.filename);
}
