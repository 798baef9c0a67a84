// Upgrades the PostgreSQL of a data folder until it is killed by itself at a named fault point.
import { type FaultPoint, onFaultPoint } from '../../src/core/fault-points.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { startCluster } from '../../src/db/cluster.ts';
import { upgradePostgres } from '../../src/maintenance/upgrade-postgres.ts';

const [dataDir, packages, fault] = process.argv.slice(2) as [string, string, FaultPoint];
onFaultPoint((point) => {
  if (point === fault) process.kill(process.pid, 'SIGKILL');
});
const cluster = await startCluster({ dataDir, durability: 'none', log: silentLog, packages });
await upgradePostgres({
  ...cluster,
  paths: dataPaths(dataDir),
  now: new Date(),
  check: async () => {},
  onTask: () => {},
});
