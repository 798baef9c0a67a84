import { Failure } from '../core/command-line.ts';
import type { Settings } from '../core/settings.ts';
import { type Database, openDatabase } from '../db/client.ts';
import { listPendingMigrations, migrate } from '../db/migrate.ts';
import { joinDatabase } from '../db/server.ts';
import { createQuietLog } from './command.ts';

/**
 * Runs the work on a migrated database, beside a running server or without one. Throws Failure for a
 * database that the server has to update first, with all its care.
 */
export async function withDatabase<T>(
  settings: Settings,
  work: (database: Database, url: string) => Promise<T>,
): Promise<T> {
  const server = await joinDatabase(settings, createQuietLog(settings));
  try {
    const database = openDatabase(server.url, { max: 2, name: 'command' });
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
