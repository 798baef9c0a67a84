import { openDatabase } from '../db/client.ts';
import { migrate } from '../db/migrate.ts';
import { joinDatabase } from '../db/server.ts';
import { type CommandSpec, print, quietLogOf } from './command.ts';

export const command: CommandSpec = {
  help: 'Brings the schema of the database up to date and prints what was applied.',
  async run({ settings }) {
    const server = await joinDatabase(settings, quietLogOf(settings));
    try {
      const database = openDatabase(server.url, { max: 1 });
      try {
        const applied = await migrate(database.sql);
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
