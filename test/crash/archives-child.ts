// Receives an archive of a move, or runs the move, for a test, and dies at a named fault point.
import { findAccountSession } from '../../src/access/account-session.ts';
import { receiveArchive } from '../../src/areas/move-ins/archives/receive.domain.ts';
import { handleRunMoveIn } from '../../src/areas/move-ins/run.handlers.ts';
import { FAULT_POINTS, onFaultPoint } from '../../src/core/fault-points.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { openDatabase } from '../../src/db/client.ts';
import { getTransfer } from '../../src/http/transfer.ts';

const [databaseUrl, dataDir, accountId, id, path, fault, after] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];
let left = Number(after);
if (!FAULT_POINTS.archives.some((point) => point === fault))
  throw new Error(`no such moment: ${fault}`);
onFaultPoint((point) => {
  if (point === fault && left-- === 0) process.kill(process.pid, 'SIGKILL');
});
const database = openDatabase(databaseUrl, { max: 4 });
const session = await findAccountSession(database.db, accountId);
const deps = {
  ...database,
  now: () => new Date(),
  paths: dataPaths(dataDir),
  settings: { ...defaultSettings(), dataDir, reserveBytes: 0 },
  log: silentLog,
};
if (path === '') {
  const ctx = {
    ...deps,
    signal: new AbortController().signal,
    restartTimeLimit() {},
    isLastAttempt: false,
    onFailed() {},
  };
  await handleRunMoveIn(ctx, { operationId: id });
} else {
  const request = new Request('http://localhost', { method: 'PATCH', body: Bun.file(path) });
  const sent = { offset: 0, transfer: getTransfer(request) };
  await receiveArchive({ ...deps, session: session! }, { id, index: 0 }, sent);
}
