import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git, hasChanges } from './provenance.ts';

const ROOT = join(import.meta.dir, '../../..');
/** The builds of commits, and what they were compared to. */
export const BUILDS = join(ROOT, '.cache/compare');

/** Returns the short name of a commit. Throws when there is none of that name. */
export const resolveCommit = (name: string): string =>
  git(ROOT, 'rev-parse', '--short', `${name}^{commit}`);

/** The commit that a change is compared with: the last one while there are changes, else the one before. */
export const getBase = (): string => (hasChanges(ROOT) ? 'HEAD' : 'HEAD~1');

/**
 * Builds the binary of a commit in a work tree of its own below .cache, once. Returns its path. Throws when a
 * step fails.
 */
export async function buildCommit(commit: string): Promise<string> {
  const folder = join(BUILDS, commit);
  const binary = join(folder, 'dist/safelight');
  if (existsSync(binary)) return binary;
  if (!existsSync(folder)) {
    mkdirSync(dirname(folder), { recursive: true });
    // A work tree whose folder was deleted is still listed.
    git(ROOT, 'worktree', 'prune');
    git(ROOT, 'worktree', 'add', '--detach', folder, commit);
  }
  console.error(`Building ${commit} in ${folder}`);
  await run(folder, [process.execPath, 'install', '--frozen-lockfile']);
  await run(folder, [process.execPath, 'native/build.ts']);
  return binary;
}

async function run(folder: string, words: readonly string[]): Promise<void> {
  const child = Bun.spawn([...words], { cwd: folder, stdout: 'ignore', stderr: 'pipe' });
  const errors = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${words.slice(1).join(' ')} failed: ${errors}`);
}
