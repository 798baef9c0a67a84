import { Failure } from '../core/command-line.ts';
import { dataPaths } from '../core/paths.ts';
import { openDatabase } from '../db/client.ts';
import { listPendingMigrations, migrate } from '../db/migrate.ts';
import { joinDatabase } from '../db/server.ts';
import { applyPending } from '../maintenance/update.ts';
import { type CommandSpec, print, createQuietLog } from './command.ts';
import { formatCount } from './format.ts';
import { type UpdateProgress, withProgress } from './progress.ts';

export const command: CommandSpec = {
  help: `Applies missing migrations to the database, after a backup, and prints their names. Servers may run if
they can go on with them; else it ends with 1 and says which have to be stopped.`,
  async run({ settings }) {
    const server = await joinDatabase(settings, createQuietLog(settings));
    const { url, upgrade } = server;
    const database = openDatabase(url, { max: 1 });
    const apply = async (update: UpdateProgress): Promise<string[]> => {
      const pending = await listPendingMigrations(database.sql);
      // An empty one has nothing that a backup could hold.
      if (pending.length === 0) {
        return migrate(database.sql, undefined, { onProgress: update });
      }
      const isServed = settings.databaseUrl === undefined && upgrade === undefined;
      if (isServed && pending.some(({ online }) => typeof online !== 'number')) {
        throw new Failure('Stop the server: it cannot go on beside this update of the database');
      }
      return applyPending({
        url,
        paths: dataPaths(settings.dataDir),
        isOnlyServer: upgrade !== undefined,
        onStep: (_step, percent = 0) => update(percent, 100),
      });
    };
    try {
      const applied = await withProgress('migrate', formatCount, apply);
      print(applied.length > 0 ? `applied: ${applied.join(', ')}` : 'nothing to apply');
    } finally {
      await database.close();
      await server.stop();
    }
    return 0;
  },
};
