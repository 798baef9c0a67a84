import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { listLost, type Load, startLoad } from '../support/library-load.ts';
import { startRollingLibrary } from '../support/rolling-upgrade.ts';
import { until } from '../support/until.ts';

// The servers of a library are replaced one after the other by those of a newer version, while it is used.
// test/cluster/rolling-upgrade.ts does the same for longer, with more versions.

setDefaultTimeout(300_000);

let library: Awaited<ReturnType<typeof startRollingLibrary>>;
let load: Load;
beforeEach(async () => {
  library = await startRollingLibrary();
  const { balancer, apiKey } = library;
  load = startLoad(balancer.url, apiKey, { readsPerSecond: 5, uploadsPerSecond: 1 });
});
afterEach(async () => {
  await load.stop();
  await library.stop();
});

test('two servers are replaced by a newer version while the library is used, and an update that cannot be made so waits', async () => {
  const { balancer, apiKey, query } = library;
  const untilUsed = () => {
    const { outcome } = load;
    const [reads, uploads] = [outcome.reads + 20, outcome.uploads.size + 2];
    return until(() => outcome.reads > reads && outcome.uploads.size > uploads);
  };

  const refused = library.spawn('offline');
  await until(async () => {
    const [waiting] = await query<{ reason: string }>(
      `select reason from node where state = 'starting' and reason like 'Nodes are too old%'`,
    );
    return waiting?.reason.includes('server on ') === true;
  }, 60_000);
  refused.kill('SIGTERM');
  expect(await refused.exited).toBe(0);
  expect(await query(`select state from node`)).toEqual([{ state: 'ready' }, { state: 'ready' }]);

  await library.replaceAll('online', untilUsed);
  const { uploads, failures } = await load.stop();
  expect(failures).toEqual([]);
  expect(balancer.broken).toEqual([]);
  expect(uploads.size).toBeGreaterThan(5);
  expect(await listLost(balancer.url, apiKey, uploads)).toEqual([]);
  const applied = await query(`
    select name, served_from > 0 as online from schema_migration where name > '9' order by name`);
  expect(applied).toEqual([
    { name: '9001_next', online: true },
    { name: '9002_next_index', online: true },
  ]);
});
