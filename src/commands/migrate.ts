import { openDatabase } from '../db/client.ts';
import { migrate } from '../db/migrate.ts';
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
        const applied = await withProgress('migrate', formatCount, (update) =>
          migrate(database.sql, undefined, { onProgress: update }),
        );
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
