// An import, started by a test, that can be told to die at a named fault point.
import { findAccountSession } from '../../src/access/account-session.ts';
import { importFolder } from '../../src/areas/imports/index.ts';
import { FAULT_POINTS, onFaultPoint } from '../../src/core/fault-points.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { openDatabase } from '../../src/db/client.ts';

const [databaseUrl, dataDir, ownerId, root, fault, after] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
let left = Number(after);
if (fault) {
  if (!FAULT_POINTS.upload.some((point) => point === fault)) {
    throw new Error(`no such moment: ${fault}`);
  }
  onFaultPoint((point) => {
    if (point === fault && left-- === 0) process.kill(process.pid, 'SIGKILL');
  });
}
const database = openDatabase(databaseUrl, { max: 4 });
const session = await findAccountSession(database.db, ownerId);
const ctx = {
  ...database,
  now: () => new Date(),
  paths: dataPaths(dataDir),
  settings: { ...defaultSettings(), dataDir, databaseUrl, reserveBytes: 0 },
  log: silentLog,
  session: session!,
};
const onProgress = (done: number) => process.stdout.write(`${done}\n`);
const events = { onProgress, onRefused: () => {} };
const target = { ownerId, root };
const report = await importFolder(ctx, target, { namesAlbums: true }, events);
process.stdout.write(`${JSON.stringify(report)}\n`);
await database.close();
