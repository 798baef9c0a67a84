import { statSync } from 'node:fs';

/** Returns what changes when one of the files is replaced, as by an upgrade of its package; a missing file counts too. */
export const identifyFiles = (paths: readonly string[]): string =>
  paths
    .map((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found ? `${found.dev}:${found.ino}:${found.mtimeMs}` : 'missing';
    })
    .join(' ');

const CHECK_MS = 5000;

export type ReplacementWatch = { readonly stop: () => void };

/**
 * Calls `onReplaced` when files of a program that runs were replaced, and nothing has been written to them for one
 * more check: a package is unpacked file by file.
 */
export function watchReplacement(
  paths: readonly string[],
  onReplaced: () => void,
  checkMs: number = CHECK_MS,
): ReplacementWatch {
  let started = identifyFiles(paths);
  let last = started;
  const timer = setInterval(() => {
    const now = identifyFiles(paths);
    const isSettled = now === last && !now.includes('missing');
    last = now;
    if (now === started || !isSettled) return;
    started = now;
    onReplaced();
  }, checkMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
