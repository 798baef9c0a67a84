// Runs the tests in random order on a private PostgreSQL that is removed afterwards:
//   bun test/run.ts [files and flags of bun test]
// Files, the tests of each file and what they choose at random follow a seed: the same each time, so that a build
// fails by what was changed, or another by `--seed=N` or `--seed=random`. SAFELIGHT_TEST_EFFORT=full tries more, with
// another seed each time. What took long is printed and kept in .cache/tests; the last line counts the tests.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../src/core/log.ts';
import { startCluster } from '../src/db/cluster.ts';
import { formatCounts } from './run/counts.ts';
import { listOverruns } from './run/budgets.ts';
import { measureDatabase } from './run/database-usage.ts';
import { buildTable, formatTable } from './run/table.ts';
import { createMemoryFolder } from './support/memory-folder.ts';

const log = createLog({ level: 'warn', format: 'pretty' });
const folder = createMemoryFolder('safelight-tests-');
// The temporary folder of all tests. Its name is short, since the path of a socket has at most 108 bytes.
const scratch = mkdtempSync(join(tmpdir(), 'sl-'));
// As /tmp: some tests run programs as another user.
chmodSync(scratch, 0o1777);
const usageFolder = join(scratch, 'usage');
mkdirSync(usageFolder);
const junitPath = join(scratch, 'junit.xml');
const cluster = await startCluster({ dataDir: folder, durability: 'none', log });

const words = process.argv.slice(2);
const given = words.find((word) => /^--seed=(?:\d+|random)$/.test(word));
const isFull = process.env['SAFELIGHT_TEST_EFFORT'] === 'full';
const isRandom = given ? given.endsWith('random') : isFull;
const seed = isRandom ? String(newSeed()) : (given?.replace('--seed=', '') ?? '1');
const others = words.filter((word) => word !== given);
const flags = [
  // A busy machine is no failure: a test that hangs is still ended.
  '--timeout=300000',
  // One file more than there are cores, since tests of servers and of the page wait much of their time.
  `--parallel=${availableParallelism() + 1}`,
  // The workers keep their modules from file to file, which saves a third of the time.
  '--no-isolate',
  '--no-orphans',
  '--randomize',
  `--seed=${seed}`,
  '--reporter=junit',
  `--reporter-outfile=${junitPath}`,
];
const command = [process.execPath, 'test', ...flags, ...others];
const child = Bun.spawn(command, {
  env: {
    ...process.env,
    TEST_POSTGRES: cluster.url.replace(/\/[^/]*$/, ''),
    // End-to-end tests run the released binary.
    SAFELIGHT_TEST_BINARY: join(import.meta.dir, '../dist/safelight'),
    SAFELIGHT_TEST_SEED: seed,
    SAFELIGHT_TEST_USAGE: usageFolder,
    // Each statement is compared with its schema (`db/columns.ts`), in servers of tests too.
    SAFELIGHT_TEST_COLUMNS: 'verify',
    // Processes of tests end before the last stage of the compiler has paid for itself: a tenth of all processor time.
    ...(!isFull && { BUN_JSC_useFTLJIT: '0' }),
    TMPDIR: scratch,
    TZ: 'UTC',
  },
  stdio: ['inherit', 'pipe', 'pipe'],
});
const databaseUsage = measureDatabase(usageFolder);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));

// A test that blocks its thread cannot be ended by its time limit. The runner then names its file.
const SILENCE_MS = 15 * 60_000;
let lastOutputAt = performance.now();
const watch = setInterval(() => {
  if (performance.now() - lastOutputAt > SILENCE_MS) child.kill('SIGTERM');
}, 10_000);

const tails = { stdout: '', stderr: '' };
/** The last lines before the result of each test that failed: its error. */
const failures: string[] = [];
const LINES_OF_A_FAILURE = 30;
const copied = Promise.all([copyOutput('stdout'), copyOutput('stderr')]);
const code = await child.exited;
clearInterval(watch);
// A process that outlived the runner may hold the pipes open.
await Promise.race([copied, Bun.sleep(5_000)]);
const overruns = reportUsage();
await cluster.stop();
for (const path of [folder, scratch]) rmSync(path, { recursive: true, force: true });

if (failures.length > 0) console.log(`Failed, once more:\n${failures.join('\n')}`);
if (overruns.length > 0) console.log(overruns.join('\n'));
// A reader of a build sees its last lines only.
for (const line of failures.filter(isFailure)) console.log(line);
console.log(
  `To repeat it: ${isFull ? 'make test-full' : 'make test'} ARGS='${[`--seed=${seed}`, ...others].join(' ')}'`,
);
console.log(formatCounts(Object.values(tails).join('\n'), code, overruns.length));
process.exit(code === 0 && overruns.length > 0 ? 1 : code);

/** Prints and keeps what took long. Returns what took longer than it may. */
function reportUsage(): string[] {
  // A run that broke has no report.
  if (!existsSync(junitPath)) return [];
  const table = buildTable(usageFolder, readFileSync(junitPath, 'utf8'), databaseUsage.stop());
  const kept = join(import.meta.dir, '../.cache/tests');
  mkdirSync(kept, { recursive: true });
  writeFileSync(join(kept, 'usage.json'), JSON.stringify({ seed, isFull, ...table }, null, 1));
  console.log(formatTable(table));
  return isFull ? [] : listOverruns(table);
}

function isFailure(line: string): boolean {
  return line.startsWith('(fail)');
}

function newSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]!;
}

/** Copies the output as it comes and keeps its end, where the counts are, and what failed. */
async function copyOutput(name: 'stdout' | 'stderr'): Promise<void> {
  const decoder = new TextDecoder();
  let sinceResult: string[] = [];
  let line = '';
  let isOver = false;
  for await (const chunk of child[name]) {
    lastOutputAt = performance.now();
    process[name].write(chunk);
    const text = decoder.decode(chunk, { stream: true });
    tails[name] = (tails[name] + text).slice(-4_000);
    const lines = (line + text).split('\n');
    line = lines.pop()!;
    for (const each of lines) {
      // The runner names them again.
      isOver ||= /^\d+ tests? failed:$/.test(each);
      if (isOver) break;
      sinceResult = [...sinceResult, each].slice(-LINES_OF_A_FAILURE);
      if (/^\((?:pass|fail|skip|todo)\) /.test(each)) {
        if (isFailure(each)) failures.push(...sinceResult);
        sinceResult = [];
      }
    }
  }
}
