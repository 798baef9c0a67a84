// A server that streams videos, started by a test, which kills it.
import { videoStreamRoutes } from '../../src/areas/video-streams/routes.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { openDatabase } from '../../src/db/client.ts';
import { createApi } from '../../src/http/api.ts';
import { startListener } from '../../src/http/listener.ts';

const [databaseUrl, dataDir] = process.argv.slice(2) as [string, string];
const app = createApi(
  {
    ...openDatabase(databaseUrl, { max: 4 }),
    now: () => new Date(),
    paths: dataPaths(dataDir),
    settings: { ...defaultSettings(), dataDir, databaseUrl, reserveBytes: 0 },
    log: silentLog,
  },
  // All areas take three times as long to load.
  [videoStreamRoutes],
);
const fetch = app.fetch.bind(app);
const listener = await startListener({ fetch, host: '127.0.0.1', port: 0, log: silentLog });
process.stdout.write(`${JSON.stringify({ url: listener.url })}\n`);
