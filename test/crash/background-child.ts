// Runs the jobs of the trash, of archive operations and of workflows until it is killed by its parent, or kills
// itself at a named fault point. With 'once' it removes files and exits.
import { handleRunArchive } from '../../src/areas/archive-operations/handlers.ts';
import { createCleaner } from '../../src/operations/clean.handlers.ts';
import { handleMoveItems } from '../../src/areas/trash/moves/operation.handlers.ts';
import { handleRemoveFiles } from '../../src/areas/trash/removal/removal.handlers.ts';
import { handleExpireTrash } from '../../src/areas/trash/retention/retention.handlers.ts';
import { handleContinueBackfill } from '../../src/areas/workflows/backfill/backfill.handlers.ts';
import { handleAdvanceRuns } from '../../src/areas/workflows/runs/run.handlers.ts';
import { onFaultPoint } from '../../src/core/fault-points.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { openDatabase } from '../../src/db/client.ts';
import { releaseExpired } from '../../src/jobs/claims.ts';
import { type HandlersByLane, jobs, operationKinds } from '../../src/job-registry.ts';
import { runLane } from '../../src/jobs/run.ts';

const [url, dataDir, fault] = process.argv.slice(2) as [string, string, string?];
const database = openDatabase(url, { max: 3 });
const deps = {
  ...database,
  now: () => new Date(),
  paths: dataPaths(dataDir),
  settings: { ...defaultSettings(), dataDir, databaseUrl: url },
  log: silentLog,
};

if (fault) {
  onFaultPoint((point) => {
    if (point === fault) process.kill(process.pid, 'SIGKILL');
  });
  const signal = new AbortController().signal;
  await handleRemoveFiles(
    { ...deps, signal, isLastAttempt: true, onFailed: () => {}, restartTimeLimit: () => {} },
    {},
  );
  process.exit(0);
}

const lane = runLane({
  deps,
  jobs,
  lane: 'background',
  worker: crypto.randomUUID(),
  concurrency: 2,
  leaseMs: 600,
  checkMs: 100,
  // No other job of the lane is queued here.
  handlers: {
    'trash.moveItems': handleMoveItems,
    'trash.removeFiles': handleRemoveFiles,
    'trash.expire': handleExpireTrash,
    'archiveOperations.run': handleRunArchive,
    'operations.clean': createCleaner(operationKinds),
    'workflows.advance': handleAdvanceRuns,
    'workflows.advanceBackfilled': handleAdvanceRuns,
    'workflows.backfill': handleContinueBackfill,
  } as HandlersByLane<'background'>,
});
// Stands in for the dispatcher.
for (;;) {
  await Bun.sleep(50);
  await releaseExpired(deps.db);
  lane.wake();
}
