// The API alone behind the real listener, as a process of its own: for measurements that need no page
// and no jobs. `bun test/bench/api-server.ts <database url> <port>`.
import { createApp } from '../../src/app.ts';
import { createLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { openDatabase } from '../../src/db/client.ts';
import { startListener } from '../../src/http/listener.ts';

const [databaseUrl, port] = process.argv.slice(2);
const { db, sql } = openDatabase(databaseUrl!, { max: 10 });
const log = createLog({ level: 'warn', format: 'pretty' });
const app = createApp({
  db,
  sql,
  now: () => new Date(),
  paths: dataPaths('/nonexistent'),
  settings: defaultSettings(),
  log,
});
const fetch = (request: Request) => app.fetch(request);
await startListener({ fetch, host: '127.0.0.1', port: Number(port), log });
