import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dropDatabase, listDatabases, withAdmin } from '../../src/db/databases.ts';
import { runFiles } from '../run/bun-test.ts';
import { createScratch, getEnvironment } from '../run/environment.ts';
import { listFiles, listImports, listNeeds } from '../run/selection.ts';
import type { Change } from './changes.ts';
import { getArea } from './draw.ts';

export type Verdict = {
  readonly outcome: 'caught' | 'survived' | 'not judged';
  /** The first test that failed, or what else decided. */
  readonly by: string;
  /** Files of tests that need the binary, which does not have the change. */
  readonly leftOut: number;
};

/** A copy of the project, and the server of its tests. */
export type Place = { readonly root: string; readonly databaseUrl: string };

/** The time limit of all tests of a change. */
const LIMIT_MS = 120_000;

const tests = listFiles({ tier: 'all', seed: '1', paths: [], flags: [] });
const imports = new Map(tests.map((test) => [test, listImports(test)]));
/** Files of tests that were run without a change, and whether they passed. */
const passing = new Map<string, boolean>();

/** Runs the tests of a change until one fails that passes without it, and checks the types of one that survives. */
export async function judge(change: Change, place: Place): Promise<Verdict> {
  const { judges, leftOut } = listJudges(change.file);
  for (;;) {
    const sound = judges.map((files) => files.filter((file) => passing.get(file) !== false));
    const failure = await withChange(change, place, () => findFailure(sound, place));
    if (failure === 'time limit') return { outcome: 'not judged', by: failure, leftOut };
    if (!failure) break;
    // An error between tests is of no file.
    const files = judges.flat().includes(failure.file) ? [failure.file] : sound.flat();
    if (!files.every((file) => passing.get(file))) {
      const isPassing = (await findFailure([files], place)) === undefined;
      for (const file of files) passing.set(file, isPassing);
      if (!isPassing) console.log(`No judge, it fails without a change: ${files.join(' ')}`);
      if (!isPassing) continue;
    }
    return { outcome: 'caught', by: `${failure.file}: ${failure.name}`, leftOut };
  }
  return (await withChange(change, place, () => isTyped(place)))
    ? { outcome: 'survived', by: '', leftOut }
    : { outcome: 'caught', by: 'types', leftOut };
}

/** Returns the files of tests beside a file and those that import it, in groups: the likeliest to notice a change first. */
function listJudges(file: string): { judges: string[][]; leftOut: number } {
  const isBeside = (test: string) => test.startsWith(`${getArea(file)}/`);
  const isImporter = (test: string) =>
    /^(?:src|test)\//.test(test) && imports.get(test)!.includes(file);
  const groups = Map.groupBy(
    tests.filter((test) => isBeside(test) || isImporter(test)),
    (test) => {
      if (listNeeds([test]).includes('dist/safelight')) return 'left out';
      return isBeside(test) ? (isImporter(test) ? 'unit' : 'area') : 'others';
    },
  );
  const judges = (['unit', 'area', 'others'] as const).map((name) => groups.get(name) ?? []);
  return { judges, leftOut: groups.get('left out')?.length ?? 0 };
}

async function withChange<T>(change: Change, { root }: Place, work: () => Promise<T>): Promise<T> {
  const path = join(root, change.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(0, change.start) + change.after + text.slice(change.end));
  return work().finally(() => writeFileSync(path, text));
}

/** Runs each group in a process of its own, since the order within one is random. */
async function findFailure(groups: readonly string[][], { root, databaseUrl }: Place) {
  const signal = AbortSignal.timeout(LIMIT_MS);
  for (const files of groups.filter((group) => group.length > 0)) {
    const scratch = createScratch();
    const env = getEnvironment({ root, databaseUrl, seed: '1', scratch, isFull: false });
    // A test that waits for what the change prevents has failed.
    const flags = ['--bail', `--timeout=${LIMIT_MS / 2}`];
    const options = { files, seed: '1', flags, workers: 1, scratch, cwd: root };
    const results = await runFiles({ ...options, env, signal, isQuiet: true });
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
    await dropLeftovers(databaseUrl);
    if (signal.aborted) return 'time limit' as const;
    const failure = results.find(({ outcome }) => outcome === 'failed');
    if (failure) return failure;
  }
  return undefined;
}

/** Drops the databases of processes that have ended: tests that are broken off leave theirs. */
function dropLeftovers(databaseUrl: string): Promise<void> {
  return withAdmin(databaseUrl, async (sql) => {
    for (const name of await listDatabases(sql, '')) {
      const [, pid] = /_(\d+)_/.exec(name) ?? [];
      if (pid !== undefined && !existsSync(`/proc/${pid}`)) await dropDatabase(sql, name);
    }
  });
}

export async function isTyped({ root }: Place): Promise<boolean> {
  // The import of a call that was removed would be found, which nobody would have left.
  const flags = ['--no-script', '--noUnusedLocals', 'false', '--noUnusedParameters', 'false'];
  const command = [process.execPath, 'check', ...flags];
  const child = Bun.spawn(command, { cwd: root, stdio: ['ignore', 'ignore', 'ignore'] });
  return (await child.exited) === 0;
}
