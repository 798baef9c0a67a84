// Restores a dump until it is killed by itself at a named fault point.
import { type FaultPoint, onFaultPoint } from '../../src/core/fault-points.ts';
import { restoreBackup, withDump } from '../../src/maintenance/restore.ts';

const [url, file, fault] = process.argv.slice(2) as [string, string, FaultPoint];
onFaultPoint((point) => {
  if (point === fault) process.kill(process.pid, 'SIGKILL');
});
await withDump(file, (dump) =>
  restoreBackup({ url, file, dump, now: new Date(), diskFolder: undefined }),
);
