// Runs the tests in random order on a private PostgreSQL that is removed afterwards:
//   bun test/run.ts [--tier=test|pages|crash|all] [--seed=N|random] [parts of paths] [flags of bun test]
// The tier of a file is told by its path (`run/selection.ts`). The order of files and tests, and all random choices,
// follow the seed: the same each time, so that a build fails by what was changed.
// SAFELIGHT_TEST_EFFORT=full tries more, with another seed each time. A file with a test that failed runs once more at
// the end, alone: what passes then is unstable, and no failure unless it was unstable before (`test/unstable.md`). What
// took long is printed and kept in .cache/tests; the last line counts the tests.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { runFiles } from './run/bun-test.ts';
import { measureDatabase } from './run/database-usage.ts';
import { createScratch, getEnvironment, startTestCluster } from './run/environment.ts';
import { addRun, listKnown, readRuns, readUnstable } from './run/history.ts';
import { formatVerdict } from './run/report.ts';
import type { Result } from './run/results.ts';
import { formatCommand, listFiles, listNeeds, parseWords } from './run/selection.ts';
import { buildTable, formatTable } from './run/table.ts';
import { formatName, judge } from './run/verdict.ts';

const ROOT = join(import.meta.dir, '..');
/** So many files that fail are no matter of chance. */
const MOST_AGAIN = 12;

const isFull = process.env['SAFELIGHT_TEST_EFFORT'] === 'full';
const selection = parseWords(process.argv.slice(2), isFull);
const files = listFiles(selection);
if (files.length === 0) {
  console.error(`No file of tests has ${selection.paths.join(' or ')} in its path.`);
  process.exit(2);
}
makeNeeds();

const scratch = createScratch();
const usageFolder = join(scratch, 'usage');
mkdirSync(usageFolder);
const cluster = await startTestCluster();

const databaseUsage = measureDatabase(usageFolder);
// Tests of servers and pages spend much of their time waiting: more workers than there are cores, but browsers are heavy.
const MORE_WORKERS = selection.tier === 'test' ? 2 : 1;
const first = await run(files, availableParallelism() + MORE_WORKERS);
const table = buildTable(usageFolder, first, databaseUsage.stop());
const again = await runAgain(first);
await cluster.stop();
rmSync(scratch, { recursive: true, force: true });

const isWhole = selection.paths.length + selection.flags.length === 0;
if (isWhole) keepTable();
const known = listKnown(selection.tier, readRuns(), readUnstable());
const verdict = judge(first, again, known);
if (isWhole) {
  const unstable = verdict.unstable.map(formatName);
  addRun({ tier: selection.tier, seed: selection.seed, at: new Date().toISOString(), unstable });
}
console.log(formatTable(table));
console.log(`To repeat it: ${formatCommand(selection)}`);
console.log(formatVerdict(verdict, (file) => formatCommand(selection, [file])));
process.exitCode = verdict.failed.length > 0 ? 1 : 0;

/** Builds and fetches what the tests use. */
function makeNeeds(): void {
  const needs = listNeeds(files);
  if (needs.length === 0) return;
  const { exitCode } = Bun.spawnSync(['make', '--no-print-directory', ...needs], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (exitCode !== 0) process.exit(exitCode);
}

function run(chosen: readonly string[], workers: number): Promise<Result[]> {
  const { seed, flags } = selection;
  const env = {
    ...getEnvironment({ root: ROOT, databaseUrl: cluster.url, seed, scratch, isFull }),
    // End-to-end tests run the released binary.
    SAFELIGHT_TEST_BINARY: join(ROOT, 'dist/safelight'),
    SAFELIGHT_TEST_USAGE: usageFolder,
  };
  return runFiles({ files: chosen, seed, flags, workers, scratch, env });
}

/** Runs each file with a test that failed in a new process, one after the other. */
async function runAgain(results: readonly Result[]): Promise<Result[]> {
  const failed = new Set(
    results
      .filter(({ file, outcome }) => outcome === 'failed' && files.includes(file))
      .map(({ file }) => file),
  );
  if (failed.size > MOST_AGAIN) return [];
  const found: Result[] = [];
  for (const file of failed) {
    console.log(`\nOnce more, alone: ${file}`);
    found.push(...(await run([file], 1)));
  }
  return found;
}

function keepTable(): void {
  const kept = join(ROOT, '.cache/tests');
  mkdirSync(kept, { recursive: true });
  const { tier, seed } = selection;
  writeFileSync(
    join(kept, `usage-${tier}.json`),
    JSON.stringify({ seed, isFull, ...table }, null, 1),
  );
}
