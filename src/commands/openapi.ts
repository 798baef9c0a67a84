import { createApp } from '../app.ts';
import { dataPaths } from '../core/paths.ts';
import { openDatabase } from '../db/client.ts';
import { openApi } from '../http/openapi.ts';
import { type CommandSpec, print, createQuietLog } from './command.ts';

export const command: CommandSpec = {
  help: 'Prints the OpenAPI document of the API as JSON. Needs no database.',
  async run({ settings }) {
    // No query is made: the pool never connects.
    const database = openDatabase('postgres://nowhere/nothing', { max: 1 });
    const app = createApp({
      ...database,
      now: () => new Date(),
      paths: dataPaths(settings.dataDir),
      settings,
      log: createQuietLog(settings),
    });
    print(JSON.stringify(openApi(app), null, 2));
    await database.close();
    return 0;
  },
};
