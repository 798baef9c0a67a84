// A server of a library with several, started by a test: uploads and streams, and the heartbeats of its node.
import { overrideUploadLimits } from '../../src/areas/uploads/resumable/responses.ts';
import { resumableRoutes } from '../../src/areas/uploads/resumable/resumable.routes.ts';
import { studioStreamRoutes } from '../../src/areas/studio/streams/routes.ts';
import { closeAbandonedStreams } from '../../src/areas/studio/streams/supervisor.ts';
import { videoStreamRoutes } from '../../src/areas/video-streams/routes.ts';
import { createLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { parseS3Address } from '../../src/core/s3-address.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { openDatabase } from '../../src/db/client.ts';
import { createApi } from '../../src/http/api.ts';
import { startListener } from '../../src/http/listener.ts';
import { openStaging } from '../../src/staging/staging-id.ts';
import { acceptForwarded } from '../../src/nodes/forward.ts';
import { startNode } from '../../src/nodes/node.ts';

const [databaseUrl = '', dataDir = '', port = '', objectStore, objectStoreCredentials] =
  process.argv.slice(2);
overrideUploadLimits({ progressBytes: 65_536, idleMs: 600_000 });
const log = createLog({ level: 'error', format: 'json' });
const paths = dataPaths(dataDir);
const deps = {
  ...openDatabase(databaseUrl, { max: 4 }),
  now: () => new Date(),
  paths,
  settings: {
    ...defaultSettings(),
    dataDir,
    databaseUrl,
    reserveBytes: 0,
    objectStore: objectStore === undefined ? undefined : parseS3Address(objectStore),
    objectStoreCredentials,
  },
  log,
};
await openStaging(paths);
// All areas take three times as long to load.
const app = createApi(deps, [resumableRoutes, videoStreamRoutes, studioStreamRoutes]);
const listener = await startListener({
  fetch: acceptForwarded(deps, (request) => app.fetch(request)),
  host: '127.0.0.1',
  port: Number(port),
  log,
});
const { url: address } = listener;
startNode({ deps, databaseUrl, role: 'server', address, heartbeatMs: 100, steadyMs: 300 });
await closeAbandonedStreams(deps, address);
process.stdout.write(`${JSON.stringify({ url: address })}\n`);
