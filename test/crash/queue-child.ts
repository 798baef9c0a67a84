import { tmpdir } from 'node:os';
import { sql } from 'drizzle-orm';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { openDatabase } from '../../src/db/client.ts';
import { releaseExpired } from '../../src/jobs/claims.ts';
import { type HandlersByLane, jobs } from '../../src/job-registry.ts';
import { runLane } from '../../src/jobs/run.ts';
import { createSeededRandom } from '../support/effort.ts';

// A worker process for queue.test.ts: takes jobs until it is killed.
const [url, worker] = process.argv.slice(2) as [string, string];
const random = createSeededRandom(worker);
const { db, sql: driver } = openDatabase(url, { max: 3 });

const handlers: HandlersByLane<'metadata'> = {
  'assets.readMetadata': async ({ isLastAttempt }, { assetId }) => {
    await Bun.sleep(random.below(25));
    if (random.below(20) === 0 && !isLastAttempt) throw new Error('a bad moment');
    return async (tx) => {
      await tx.execute(sql`insert into effect (asset_id, worker) values (${assetId}, ${worker})`);
      // In the middle of the transaction is the best moment to die.
      await Bun.sleep(random.below(10));
    };
  },
};

const lane = runLane({
  deps: {
    db,
    sql: driver,
    now: () => new Date(),
    paths: dataPaths(tmpdir()),
    settings: { ...defaultSettings(), reserveBytes: 0 },
    log: silentLog,
  },
  lane: 'metadata',
  jobs,
  worker,
  concurrency: 4,
  batch: 3,
  leaseMs: 600,
  checkMs: 100,
  handlers,
});
// Stands in for the dispatcher.
for (;;) {
  await Bun.sleep(100);
  await releaseExpired(db);
  lane.wake();
}
