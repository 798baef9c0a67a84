import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../src/core/log.ts';
import { startCluster } from '../../src/db/cluster.ts';
import { withAdmin } from '../../src/db/databases.ts';
import { createMemoryFolder } from '../support/memory-folder.ts';

/** Starts a private PostgreSQL for tests; `stop` removes it. */
export async function startTestCluster(): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = createMemoryFolder('safelight-tests-');
  const cluster = await startCluster({
    dataDir: folder,
    durability: 'none',
    log: createLog({ level: 'warn', format: 'pretty' }),
  });
  await planOnce(cluster.url);
  const stop = async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: cluster.url, stop };
}

/** Has PostgreSQL plan a statement once for each connection: its first five plans are a tenth of all processor time. */
function planOnce(url: string): Promise<void> {
  return withAdmin(url, async (sql) => {
    await sql`alter system set plan_cache_mode = 'force_generic_plan'`;
    await sql`select pg_reload_conf()`;
  });
}

/** Makes the temporary folder of tests. Its name is short, since the path of a socket has at most 108 bytes. */
export function createScratch(): string {
  const scratch = mkdtempSync(join(tmpdir(), 'sl-'));
  // As /tmp: some tests run programs as another user.
  chmodSync(scratch, 0o1777);
  return scratch;
}

export type EnvironmentOptions = {
  /** The folder of the project. */
  readonly root: string;
  readonly databaseUrl: string;
  readonly seed: string;
  readonly scratch: string;
  readonly isFull: boolean;
};

/** Returns the environment of processes that run tests. */
export function getEnvironment(options: EnvironmentOptions): Record<string, string | undefined> {
  const { root, databaseUrl, seed, scratch, isFull } = options;
  return {
    ...process.env,
    TEST_POSTGRES: databaseUrl.replace(/\/[^/]*$/, ''),
    SAFELIGHT_TEST_MODELS: process.env['SAFELIGHT_TEST_MODELS'] ?? join(root, '.cache/models'),
    SAFELIGHT_TEST_SEED: seed,
    // Each statement is compared with its schema (`db/columns.ts`), in servers of tests too.
    SAFELIGHT_TEST_COLUMNS: 'verify',
    // Processes of tests end before the last stage of the compiler has paid for itself: a tenth of all processor time. The
    // first one pays for what runs often only: a twentieth of the time of Bun.
    ...(!isFull && { BUN_JSC_useFTLJIT: '0', BUN_JSC_thresholdForJITAfterWarmUp: '2000' }),
    // Memory that was given back a moment ago is soon needed again: a twentieth of all processor time. In ms.
    MIMALLOC_PURGE_DELAY: '5000',
    // Nor are free pages between blocks in use looked for and given back one by one: a tenth of what a test of routes takes.
    MIMALLOC_PURGE_HOLES: '0',
    TMPDIR: scratch,
    TZ: 'UTC',
  };
}
