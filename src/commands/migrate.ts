import type { Settings } from '../core/settings.ts';
import { type Database, openDatabase } from '../db/client.ts';
import { listPendingMigrations, migrate } from '../db/migrate.ts';
import { applyPending, areOnline, requireOnlyNode } from '../maintenance/online-update.ts';
import { joinDatabase } from '../db/server.ts';
import { type CommandSpec, print, createQuietLog } from './command.ts';
import { formatCount } from './format.ts';
import { withProgress } from './progress.ts';

export const command: CommandSpec = {
  help: 'Applies missing migrations to the database and prints their names.',
  async run({ settings }) {
    const server = await joinDatabase(settings, createQuietLog(settings));
    try {
      const database = openDatabase(server.url, { max: 1 });
      try {
        const online = await updateBesideNodes(settings, server.url, database);
        const others = await withProgress('migrate', formatCount, (update) =>
          migrate(database.sql, undefined, { onProgress: update }),
        );
        const applied = [...online, ...others];
        print(applied.length > 0 ? `applied: ${applied.join(', ')}` : 'nothing to apply');
      } finally {
        await database.close();
      }
    } finally {
      await server.stop();
    }
    return 0;
  },
};

/** Applies online migrations while others use a database elsewhere. Throws Failure for other ones while nodes run. */
async function updateBesideNodes(
  { databaseUrl }: Settings,
  url: string,
  { sql }: Database,
): Promise<string[]> {
  if (databaseUrl === undefined) return [];
  const pending = await listPendingMigrations(sql);
  if (areOnline(pending)) return applyPending(url);
  await requireOnlyNode(url);
  return [];
}
