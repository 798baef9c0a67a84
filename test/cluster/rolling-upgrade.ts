import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listLost, startLoad } from '../support/library-load.ts';
import { startRollingLibrary } from '../support/rolling-upgrade.ts';
import { until } from '../support/until.ts';

// A library that is used all the time goes through two versions: the first one adds to the schema, the second one
// removes.

setDefaultTimeout(3_600_000);
const RATES = { readsPerSecond: 200, uploadsPerSecond: 4 };
const MIXED_MS = 10_000;
const RESTARTS = 20;

let library: Awaited<ReturnType<typeof startRollingLibrary>>;
const uploads = new Map<string, string>();
beforeAll(async () => {
  library = await startRollingLibrary();
});
afterAll(() => library.stop());

/** Uses the library during the work: every request must succeed. */
async function useDuring(work: () => Promise<void>): Promise<void> {
  const { balancer, apiKey } = library;
  const load = startLoad(balancer.url, apiKey, RATES);
  const from = performance.now();
  try {
    await work();
  } finally {
    await load.stop();
  }
  const { outcome } = load;
  for (const [id, checksum] of outcome.uploads) uploads.set(id, checksum);
  console.log({
    seconds: Math.round((performance.now() - from) / 1000),
    reads: outcome.reads,
    uploads: outcome.uploads.size,
    failures: outcome.failures.length,
    broken: balancer.broken.length,
    longestMs: Math.round(outcome.longestMs),
  });
  if (outcome.failures.length > 0) console.log(library.listErrors());
  expect(outcome.failures).toEqual([]);
  expect(balancer.broken).toEqual([]);
  expect(outcome.uploads.size).toBeGreaterThan(10);
}

const mix = () => Bun.sleep(MIXED_MS);
const listStates = async () =>
  (await library.query<{ state: string }>('select state from node order by state')).map(
    ({ state }) => state,
  );
const listApplied = async () =>
  (
    await library.query<{ name: string }>(
      `select name from schema_migration where name > '9' order by name`,
    )
  ).map(({ name }) => name);

test('a version that removes what the servers need waits, and tells for whom', () =>
  useDuring(async () => {
    const waiting = library.spawn('contract');
    const list = () =>
      library.query<{ reason: string }>(`select reason from node where state = 'starting'`);
    await until(async () => (await list())[0]?.reason.includes('too old to go on') === true);
    await mix();
    expect(await listApplied()).toEqual([]);
    waiting.kill('SIGTERM');
    expect(await waiting.exited).toBe(0);
    expect(await listStates()).toEqual(['ready', 'ready']);
  }));

test('all servers are replaced by the next version, which adds to the schema', () =>
  useDuring(() => library.replaceAll('online', mix)).then(async () =>
    expect(await listApplied()).toEqual(['9001_next', '9002_next_index']),
  ));

test('all servers are replaced by the version after it, which removes', () =>
  useDuring(() => library.replaceAll('contract', mix)).then(async () =>
    expect(await listApplied()).toEqual(['9001_next', '9002_next_index', '9003_contract']),
  ));

test('a server of the first version that is started again and again changes nothing', () =>
  useDuring(async () => {
    for (let round = 0; round < RESTARTS; round += 1) {
      const stale = library.spawn('current');
      expect(await stale.exited).not.toBe(0);
      expect(await new Response(stale.stderr).text()).toContain('9003_contract');
    }
    const states = await listStates();
    expect(states.filter((state) => !['gone', 'refused'].includes(state))).toEqual([
      'ready',
      'ready',
    ]);
    expect(existsSync(join(library.folder, 'data/maintenance/state.json'))).toBe(false);
  }));

test('every upload that was acknowledged is whole', async () => {
  expect(uploads.size).toBeGreaterThan(100);
  expect(await listLost(library.balancer.url, library.apiKey, uploads)).toEqual([]);
});
