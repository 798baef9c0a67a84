import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseJunit, type Result } from './results.ts';
import { refuseUnexplained } from './skipped.ts';

export type RunOptions = {
  /** Below the root of the project. */
  readonly files: readonly string[];
  readonly seed: string;
  readonly flags: readonly string[];
  /** Files that run at the same time. */
  readonly workers: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Is emptied by the caller. */
  readonly scratch: string;
  /** The folder of the project, if it is not the current one. */
  readonly cwd?: string;
  /** Ends the tests; those without a result have then failed. */
  readonly signal?: AbortSignal;
  readonly isQuiet?: boolean;
};

/** A test that blocks its thread cannot be ended by its time limit. The report then names its file. */
const SILENCE_MS = 15 * 60_000;

/** Runs files of tests in new processes, prints what they print and returns how each test ended. A test that was skipped without a reason failed. */
export async function runFiles(options: RunOptions): Promise<Result[]> {
  const junitPath = join(options.scratch, 'junit.xml');
  rmSync(junitPath, { force: true });
  const child = Bun.spawn(listWords(options, junitPath), {
    env: options.env,
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.signal && { signal: options.signal }),
    stdio: ['inherit', 'pipe', 'pipe'],
  });
  const end = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', end).on('SIGTERM', end);
  let lastOutputAt = performance.now();
  const watch = setInterval(() => {
    if (performance.now() - lastOutputAt > SILENCE_MS) child.kill('SIGTERM');
  }, 10_000);
  const copy = async (name: 'stdout' | 'stderr') => {
    for await (const chunk of child[name]) {
      lastOutputAt = performance.now();
      if (!options.isQuiet) process[name].write(chunk);
    }
  };
  const copied = Promise.all([copy('stdout'), copy('stderr')]);
  const code = await child.exited;
  clearInterval(watch);
  process.off('SIGINT', end).off('SIGTERM', end);
  // A process that outlived the runner may hold the pipes open.
  await Promise.race([copied, Bun.sleep(5_000)]);
  const reported = existsSync(junitPath) ? parseJunit(readFileSync(junitPath, 'utf8')) : [];
  const results = refuseUnexplained(reported, options.flags);
  return code === 0 ? results : [...results, ...listBroken(options, reported)];
}

const listWords = ({ files, seed, flags, workers }: RunOptions, junitPath: string): string[] => [
  process.execPath,
  'test',
  // A busy machine is no failure: a test that hangs is still ended.
  '--timeout=300000',
  `--parallel=${workers}`,
  // The workers keep their modules from file to file, which saves a third of the time.
  '--no-isolate',
  '--no-orphans',
  '--randomize',
  `--seed=${seed}`,
  '--reporter=junit',
  `--reporter-outfile=${junitPath}`,
  ...flags,
  ...files.map((file) => `./${file}`),
];

/** Returns what a run that failed has no result of: files that could not be loaded, or that it did not come to. */
function listBroken({ files }: RunOptions, results: readonly Result[]): Result[] {
  const found = new Set(results.map(({ file }) => file));
  const missing = files.filter((file) => !found.has(file));
  if (missing.length > 0) return missing.map((file) => toFailure(file, 'It has no result.'));
  if (results.some(({ outcome }) => outcome === 'failed')) return [];
  return [toFailure('bun test', 'It failed, and no test did: an error was thrown between tests.')];
}

const toFailure = (file: string, error: string): Result => ({
  file,
  name: '(file)',
  wallMs: 0,
  outcome: 'failed',
  error,
});
