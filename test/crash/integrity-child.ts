// Runs the checks of the integrity until it is killed by its parent.
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { openDatabase } from '../../src/db/client.ts';
import { jobs } from '../../src/job-registry.ts';
import { releaseExpired } from '../../src/jobs/claims.ts';
import { runLane } from '../../src/jobs/run.ts';
import { INTEGRITY_HANDLERS } from '../support/integrity.ts';

const [url, dataDir] = process.argv.slice(2) as [string, string];
const database = openDatabase(url, { max: 3 });
const lane = runLane({
  deps: {
    ...database,
    now: () => new Date(),
    paths: dataPaths(dataDir),
    settings: { ...defaultSettings(), dataDir, databaseUrl: url },
    log: silentLog,
  },
  jobs,
  lane: 'background',
  worker: crypto.randomUUID(),
  concurrency: 1,
  leaseMs: 600,
  checkMs: 100,
  handlers: INTEGRITY_HANDLERS,
});
// Stands in for the dispatcher.
for (;;) {
  await Bun.sleep(50);
  await releaseExpired(database.db);
  lane.wake();
}
