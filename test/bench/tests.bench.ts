// bun test/bench/tests.bench.ts [commit]: runs the tests of `make test` at a commit and here, and prints which files
// take more processor time than before, and which less. Without a commit, it is the last one while the sources have
// changes, else the one before. Takes 20 minutes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UsageTable } from '../run/table.ts';
import { compareUsage } from '../run/usage-comparison.ts';
import { buildCommit, BUILDS, getBase, resolveCommit } from './figures/worktree.ts';

const ROOT = join(import.meta.dir, '../..');
const base = resolveCommit(process.argv[2] ?? getBase());
await buildCommit(base);
const before = await measure(join(BUILDS, base));
const now = await measure(ROOT);
console.log(compareUsage(before, now));
process.exit(0);

/** Returns what the files of the first tier take in a work tree. Throws if it has no such tier. */
async function measure(folder: string): Promise<UsageTable> {
  const child = Bun.spawn([process.execPath, 'test/run.ts', '--tier=test'], {
    cwd: folder,
    env: { ...process.env, SAFELIGHT_TEST_MODELS: join(ROOT, '.cache/models') },
    stdout: 'ignore',
    stderr: 'ignore',
  });
  await child.exited;
  return JSON.parse(readFileSync(join(folder, '.cache/tests/usage-test.json'), 'utf8'));
}
