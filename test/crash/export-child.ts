// Runs the exports of memories and projects until it is killed by itself at a named fault point; without one until
// nothing is left to do.
import { makeJobsDue } from '../support/due-jobs.ts';
import { handleExportArchive } from '../../src/areas/memories/exports/archive.handlers.ts';
import { createFilmHandler } from '../../src/areas/memories/exports/film.handlers.ts';
import { handleExportProject } from '../../src/areas/studio/exports/export.handlers.ts';
import { onFaultPoint } from '../../src/core/fault-points.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { openDatabase } from '../../src/db/client.ts';
import { releaseExpired } from '../../src/jobs/claims.ts';
import { type HandlersByLane, jobs } from '../../src/job-registry.ts';
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
onFaultPoint((point) => {
  if (point === fault) process.kill(process.pid, 'SIGKILL');
});
const options = {
  deps,
  jobs,
  worker: crypto.randomUUID(),
  concurrency: 1,
  leaseMs: 600,
  checkMs: 100,
};
// No other job of these lanes is queued here.
const lanes = [
  runLane({
    ...options,
    lane: 'background',
    handlers: {
      'memories.exportArchive': handleExportArchive,
    } as unknown as HandlersByLane<'background'>,
  }),
  runLane({
    ...options,
    lane: 'video',
    handlers: {
      'memories.exportFilm': createFilmHandler(1 / 6),
      'studio.exportProject': handleExportProject,
      // A film that became an item is not shown here.
      'assets.renderVideo': () => Promise.resolve(),
    } as unknown as HandlersByLane<'video'>,
  }),
];
async function stop(graceMs: number): Promise<never> {
  await Promise.all(lanes.map((lane) => lane.stop(graceMs)));
  process.exit(0);
}
process.on('SIGTERM', () => void stop(0));
const isOver = async () =>
  (
    await database.sql`
      select 1 from operation where state in ('queued', 'running', 'cancelling')
      union all
      select 1 from job where name = 'studio.exportProject' and state in ('waiting', 'running')`
  ).length === 0;
while (!(await isOver())) {
  await Bun.sleep(50);
  await releaseExpired(deps.db);
  await makeJobsDue(database);
  for (const lane of lanes) lane.wake();
}
await stop(10_000);
