// An upload server, started by a test, that can be told to die at a named fault point.
import { uploadRoutes } from '../../src/areas/uploads/routes.ts';
import { resumableRoutes } from '../../src/areas/uploads/resumable/resumable.routes.ts';
import { overrideUploadLimits } from '../../src/areas/uploads/resumable/responses.ts';
import { FAULT_POINTS, onFaultPoint } from '../../src/core/fault-points.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { parseS3Address } from '../../src/core/s3-address.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { openDatabase } from '../../src/db/client.ts';
import { createApi } from '../../src/http/api.ts';
import { startListener } from '../../src/http/listener.ts';
import { sweepIncoming } from '../../src/storage/removal.ts';

const [databaseUrl, dataDir, limits, objectStore, credentials] = process.argv.slice(2) as [
  string,
  string,
  string,
  string | undefined,
  string | undefined,
];
overrideUploadLimits(JSON.parse(limits));
let armed: string | undefined;
onFaultPoint((point) => {
  if (point === armed) process.kill(process.pid, 'SIGKILL');
});
function arm(fault: string): Response {
  const known = [...FAULT_POINTS.upload, ...FAULT_POINTS.takeover, ...FAULT_POINTS.object];
  if (!known.some((point) => point === fault)) throw new Error(`no such moment: ${fault}`);
  armed = fault;
  return new Response();
}

const database = openDatabase(databaseUrl, { max: 4 });
const paths = dataPaths(dataDir);
const swept = await sweepIncoming(paths);
const app = createApi(
  {
    ...database,
    now: () => new Date(),
    paths,
    settings: {
      ...defaultSettings(),
      dataDir,
      databaseUrl,
      reserveBytes: 0,
      objectStore: objectStore === undefined ? undefined : parseS3Address(objectStore),
      objectStoreCredentials: credentials,
    },
    log: silentLog,
  },
  // All areas take three times as long to load.
  [uploadRoutes, resumableRoutes],
);
const listener = await startListener({
  fetch: (request) => {
    const fault = /\/fault\/([\w.]+)$/.exec(request.url)?.[1];
    return fault ? arm(fault) : app.fetch(request);
  },
  host: '127.0.0.1',
  port: 0,
  log: silentLog,
});
process.stdout.write(`${JSON.stringify({ url: listener.url, swept })}\n`);
