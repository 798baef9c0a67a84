// Tests with the engines of a cluster, from Debian's packages, in network namespaces, and with a private PostgreSQL for
// those that have no other: bun test/cluster/run.ts [NAME…]. The last line counts the tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../src/core/log.ts';
import { startCluster } from '../../src/db/cluster.ts';
import { type Counts, formatCounts, readCounts } from '../run/counts.ts';

const ALL = [
  'object-storage',
  'servers',
  'moving',
  'consistency',
  'uploads',
  'places',
  'kills',
  'hangs',
  'rolling-upgrade',
];
const asked = process.argv.slice(2);

/** Addresses, mounts and processes are those of one file only, and end with it. */
const NAMESPACES = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** The shell is the first process, which waits for all that lose their parent. */
const SHELL = ['sh', '-c', 'ip link set lo up && "$0" "$@"; exit $?'];

const folder = mkdtempSync(join(tmpdir(), 'sl-'));
const log = createLog({ level: 'warn', format: 'pretty' });
const database = await startCluster({ dataDir: folder, log });
const env = { ...process.env, TEST_POSTGRES: database.url.replace(/\/[^/]*$/, '') };

/** Runs a file, whose name is not one that `make test` looks for. Returns what its tests came to. */
async function runFile(name: string): Promise<Counts> {
  const file = `${import.meta.dir}/${name}.ts`;
  const tests = [process.execPath, 'test', '--timeout=3600000', file];
  const child = Bun.spawn(['unshare', ...NAMESPACES, '--', ...SHELL, ...tests], {
    env,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const decoder = new TextDecoder();
  let output = '';
  for await (const chunk of child.stderr) {
    process.stderr.write(chunk);
    output += decoder.decode(chunk, { stream: true });
  }
  return readCounts(output, await child.exited);
}

const counts: Counts[] = [];
for (const name of asked.length > 0 ? asked : ALL) counts.push(await runFile(name));
await database.stop();
rmSync(folder, { recursive: true, force: true });
console.log(formatCounts(...counts));
process.exit(counts.every(({ failed }) => failed === 0) ? 0 : 1);
