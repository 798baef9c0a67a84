import { Failure } from '../core/command-line.ts';
import { dataPaths } from '../core/paths.ts';
import type { Settings } from '../core/settings.ts';
import { type Database, type Db, openDatabase } from '../db/client.ts';
import { listPendingMigrations, migrate } from '../db/migrate.ts';
import { joinDatabase } from '../db/server.ts';
import { joinStores } from '../storage/library-folders.ts';
import { createQuietLog } from './command.ts';

/**
 * Runs the work on a migrated database, beside a running server or without one. Throws Failure for a
 * database that the server has to update first, with all its care. `name`: of the pool.
 */
export async function withDatabase<T>(
  settings: Settings,
  work: (database: Database, url: string) => Promise<T>,
  name = 'command',
): Promise<T> {
  const server = await joinDatabase(settings, createQuietLog(settings));
  try {
    const database = openDatabase(server.url, { max: 2, name });
    try {
      if ((await listPendingMigrations(database.sql)).length > 0) {
        throw new Failure('The database is older than this program: start the server to update it');
      }
      await migrate(database.sql);
      return await work(database, server.url);
    } finally {
      await database.close();
    }
  } finally {
    await server.stop();
  }
}

/** Throws Failure when the folders are not those of the library: for commands that write to them. */
export async function requireLibraryFolders(db: Db, settings: Settings): Promise<void> {
  const fault = await joinStores({ db, settings, paths: dataPaths(settings.dataDir) });
  if (fault !== undefined) throw new Failure(fault);
}
