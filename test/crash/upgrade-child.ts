// Upgrades a database by one more migration until it is killed by itself at a named fault point.
import { migrations } from '../../migrations/index.ts';
import { type FaultPoint, onFaultPoint } from '../../src/core/fault-points.ts';
import { upgradeDatabase } from '../../src/maintenance/upgrade.ts';

const [url, fault] = process.argv.slice(2) as [string, FaultPoint];
onFaultPoint((point) => {
  if (point === fault) process.kill(process.pid, 'SIGKILL');
});
await upgradeDatabase({
  url,
  now: new Date(),
  diskFolder: undefined,
  check: async () => {},
  onTask: () => {},
  wanted: [...migrations, { name: '9999_extra', sql: 'create table extra (id int)' }],
});
