// Runs the tests in random order on a private PostgreSQL that is removed afterwards:
//   bun test/run.ts [files and flags of bun test]
// Files and the tests of each file are shuffled by a seed: the same each time, so that a build fails by what
// was changed, or another by `--seed=N` or `--seed=random`. The last line counts the tests.
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../src/core/log.ts';
import { startCluster } from '../src/db/cluster.ts';
import { formatCounts } from './counts.ts';

const log = createLog({ level: 'warn', format: 'pretty' });
const folder = mkdtempSync(join(databaseParent(), 'safelight-tests-'));
const cluster = await startCluster({ dataDir: folder, durability: 'none', log });

const words = process.argv.slice(2);
const given = words.find((word) => /^--seed=(?:\d+|random)$/.test(word));
const seed = given?.endsWith('random') ? `--seed=${newSeed()}` : (given ?? '--seed=1');
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
  seed,
];
const command = [process.execPath, 'test', ...flags, ...others];
const child = Bun.spawn(command, {
  env: {
    ...process.env,
    TEST_POSTGRES: cluster.url.replace(/\/[^/]*$/, ''),
    // End-to-end tests run the released binary.
    SAFELIGHT_TEST_BINARY: join(import.meta.dir, '../dist/safelight'),
    TZ: 'UTC',
  },
  stdio: ['inherit', 'pipe', 'pipe'],
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));

const tails = { stdout: '', stderr: '' };
/** Of each test that failed, the last lines before its result: its error. */
const failures: string[] = [];
const LINES_OF_A_FAILURE = 30;
const copied = Promise.all([copyOutput('stdout'), copyOutput('stderr')]);
const code = await child.exited;
// A process that outlived the runner may hold the pipes open.
await Promise.race([copied, Bun.sleep(5_000)]);
await cluster.stop();
rmSync(folder, { recursive: true, force: true });

if (failures.length > 0) console.log(`Failed, once more:\n${failures.join('\n')}`);
console.log(`To repeat the order: make test ARGS='${[seed, ...others].join(' ')}'`);
console.log(formatCounts(Object.values(tails).join('\n'), code));
process.exit(code);

/** Memory where it has room: creating and dropping a database of 800 files costs a tenth there. */
function databaseParent(): string {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 2 * 1024 ** 3 ? memory : tmpdir();
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
        if (each.startsWith('(fail)')) failures.push(...sinceResult);
        sinceResult = [];
      }
    }
  }
}
