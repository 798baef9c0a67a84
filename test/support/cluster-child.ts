// A supervisor of its own for src/db/cluster-faults.test.ts, so that it can be killed.
import { createLog } from '../../src/core/log.ts';
import { startCluster } from '../../src/db/cluster.ts';

const cluster = await startCluster({
  dataDir: process.argv[2]!,
  log: createLog({ level: 'error', format: 'json' }),
});
process.on('SIGTERM', () => void cluster.stop().then(() => process.exit()));
console.log(JSON.stringify({ url: cluster.url, pid: cluster.pid() }));
