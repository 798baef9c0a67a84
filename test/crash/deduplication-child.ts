// Applies a plan of physical deduplication, restores its copies or empties its quarantine, until it kills itself
// when it reaches a fault point for the nth time; without one to the end.
import { handleApply, handlePurge } from '../../src/areas/physical-deduplication/handlers.ts';
import { restoreCopies } from '../../src/areas/physical-deduplication/restore.domain.ts';
import { listApplied } from '../../src/areas/physical-deduplication/apply.store.ts';
import { onFaultPoint } from '../../src/core/fault-points.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { passTimeUntil } from '../support/passed-time.ts';
import { openDatabase } from '../../src/db/client.ts';

const [url, dataDir, action, applyId, planId, fault, times] = process.argv.slice(2) as [
  string,
  string,
  'apply' | 'restore' | 'purge',
  string,
  string,
  string?,
  string?,
];
const YEAR_MS = 365 * 24 * 60 * 60_000;
const database = openDatabase(url, { max: 2 });
const ctx = {
  ...database,
  now: () => new Date(),
  paths: dataPaths(dataDir),
  settings: { ...defaultSettings(), dataDir, databaseUrl: url },
  log: silentLog,
  signal: new AbortController().signal,
  isLastAttempt: true,
  onFailed: () => {},
  restartTimeLimit: () => {},
};
let reached = 0;
onFaultPoint((point) => {
  if (point === fault) reached += 1;
  if (reached !== Number(times)) return;
  process.kill(process.pid, 'SIGKILL');
});

if (action === 'apply') {
  const effect = await handleApply(ctx, { applyId });
  if (effect) await database.db.transaction(async (tx) => void (await effect(tx)));
} else if (action === 'purge') {
  await passTimeUntil(database, new Date(Date.now() + YEAR_MS));
  await handlePurge(ctx, {});
} else {
  const copies = await listApplied(database.db, planId);
  // One by one: all or none of those that are named at once are restored.
  for (const { id, state } of copies) {
    if (state === 'applied')
      await restoreCopies({ ...ctx, session: undefined as never }, applyId, [id]);
  }
}
process.exit(0);
