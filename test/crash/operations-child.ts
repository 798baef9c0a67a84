// Works on operations of all kinds until nothing is left to do. Kills itself at the point of a number, if one is given:
// the points are the fault points, and the start and the end of each job.
import { handleRunArchive } from '../../src/areas/archive-operations/handlers.ts';
import { handleExportArchive } from '../../src/areas/memories/exports/archive.handlers.ts';
import { createFilmHandler } from '../../src/areas/memories/exports/film.handlers.ts';
import { handleRunMoveIn } from '../../src/areas/move-ins/run.handlers.ts';
import { holdKey } from '../../src/areas/move-ins/keys.ts';
import { handleApply } from '../../src/areas/physical-deduplication/handlers.ts';
import { handleExportProject } from '../../src/areas/studio/exports/export.handlers.ts';
import { handleMoveItems } from '../../src/areas/trash/moves/operation.handlers.ts';
import { handleRemoveFiles } from '../../src/areas/trash/removal/removal.handlers.ts';
import { handleUndoBackfill } from '../../src/areas/workflows/undo/undo.handlers.ts';
import { onFaultPoint } from '../../src/core/fault-points.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { openDatabase } from '../../src/db/client.ts';
import { type HandlersByLane, jobs } from '../../src/job-registry.ts';
import { releaseExpired } from '../../src/jobs/claims.ts';
import { runLane } from '../../src/jobs/run.ts';
import { makeJobsDue } from '../support/due-jobs.ts';

const [url, dataDir, killAt] = process.argv.slice(2) as [string, string, string?];
const database = openDatabase(url, { max: 3 });
const deps = {
  ...database,
  now: () => new Date(),
  paths: dataPaths(dataDir),
  settings: { ...defaultSettings(), dataDir, databaseUrl: url },
  log: silentLog,
};

let passed = 0;
function pass(): void {
  passed += 1;
  if (passed === Number(killAt)) process.kill(process.pid, 'SIGKILL');
}
onFaultPoint(pass);

// The person who started a move has given this process its key again.
for (const { id } of await database.sql`select id from operation where kind = 'move-in'`) {
  holdKey(id, 'secret-key-of-the-other-server');
}

type Handler = (ctx: never, payload: never) => Promise<unknown>;
const watch =
  (handler: Handler): Handler =>
  async (...args) => {
    pass();
    const effect = await handler(...args);
    pass();
    return effect;
  };

const HANDLERS: Readonly<Record<'background' | 'video', Readonly<Record<string, Handler>>>> = {
  background: {
    'archiveOperations.run': handleRunArchive,
    'moveIns.run': handleRunMoveIn,
    'workflows.undoBackfill': handleUndoBackfill,
    'trash.moveItems': handleMoveItems,
    'trash.removeFiles': handleRemoveFiles,
    'memories.exportArchive': handleExportArchive,
    'physicalDeduplication.apply': handleApply,
  },
  video: {
    'memories.exportFilm': createFilmHandler(1 / 6),
    'studio.exportProject': handleExportProject,
  },
};
const names = Object.values(HANDLERS).flatMap((handlers) => Object.keys(handlers));
const getHandlers = (lane: keyof typeof HANDLERS) =>
  Object.fromEntries(
    Object.entries(HANDLERS[lane]).map(([name, handler]) => [name, watch(handler)]),
  );
const options = { deps, worker: crypto.randomUUID(), concurrency: 1, leaseMs: 3000, checkMs: 100 };
// No other job of these lanes is worked on here.
const known = jobs.filter(({ name }) => names.includes(name));
const lanes = [
  runLane({
    ...options,
    jobs: known,
    lane: 'background',
    handlers: getHandlers('background') as unknown as HandlersByLane<'background'>,
  }),
  runLane({
    ...options,
    jobs: known,
    lane: 'video',
    handlers: getHandlers('video') as unknown as HandlersByLane<'video'>,
  }),
];
const countJobs = async (): Promise<number> => {
  const rows = await database.sql`
    select from job where name = any(${names}) and state in ('waiting', 'running')`;
  return rows.length;
};
while ((await countJobs()) > 0) {
  await Bun.sleep(20);
  await releaseExpired(deps.db);
  await makeJobsDue(database);
  for (const lane of lanes) lane.wake();
}
await Promise.all(lanes.map((lane) => lane.stop(10_000)));
process.exit(0);
