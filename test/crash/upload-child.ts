// An upload server, started by a test, that can be told to die at a named fault point.
import { createApp } from '../../src/app.ts';
import { overrideUploadLimits } from '../../src/areas/uploads/resumable/limits.ts';
import { FAULT_POINTS, onFaultPoint } from '../../src/core/fault-points.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { openDatabase } from '../../src/db/client.ts';
import { startListener } from '../../src/http/listener.ts';
import { sweepIncoming } from '../../src/media/originals.ts';

const [databaseUrl, dataDir, fault, limits] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
];
overrideUploadLimits(JSON.parse(limits));
if (fault) {
  if (!FAULT_POINTS.some((point) => point === fault)) throw new Error(`no such moment: ${fault}`);
  onFaultPoint((point) => {
    if (point === fault) process.kill(process.pid, 'SIGKILL');
  });
}

const database = openDatabase(databaseUrl, { max: 4 });
const paths = dataPaths(dataDir);
const swept = await sweepIncoming(paths);
const app = createApp({
  ...database,
  now: () => new Date(),
  paths,
  settings: { ...defaultSettings(), dataDir, databaseUrl, reserveBytes: 0 },
  log: silentLog,
});
const listener = await startListener({
  fetch: app.fetch,
  host: '127.0.0.1',
  port: 0,
  log: silentLog,
});
process.stdout.write(`${JSON.stringify({ url: listener.url, swept })}\n`);
