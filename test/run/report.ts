import { formatSkipped } from './skipped.ts';
import { type Failure, formatName, type Verdict } from './verdict.ts';

/** A reader of a build may see so many of its last lines only. */
const LAST_LINES = 140;
const MOST_LINES = 30;
const FEWEST_LINES = 4;
/** A failure has so many beside those of its errors. */
const FRAME_LINES = 4;

/**
 * Returns the last lines of a run: each failure with its errors and the command that repeats it, why tests were
 * skipped, and the counts. `formatCommand` returns the command that runs a file again.
 */
export function formatVerdict(verdict: Verdict, formatCommand: (file: string) => string): string {
  const { passed, failed, unstable, skipped } = verdict;
  const shown = failed.length + 2 * unstable.length;
  const most = Math.max(
    FEWEST_LINES,
    Math.min(MOST_LINES, Math.floor(LAST_LINES / shown) - FRAME_LINES),
  );
  const format = (word: string) => (failure: Failure) => [
    '',
    `(${word}) ${formatName(failure)}`,
    ...cut(failure.error || 'It passed at first.', most),
    ...(word === 'unstable' || failure.again === 'passed'
      ? ['-- again, its file alone:', ...cut(failure.errorAgain || 'It passed.', most)]
      : []),
    `To repeat it: ${formatCommand(failure.file)}`,
  ];
  const counts = `${passed} passed, ${failed.length} failed`;
  return [
    ...unstable.flatMap(format('unstable')),
    ...failed.flatMap(format('fail')),
    '',
    ...formatSkipped(skipped),
    `${counts}${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`,
    ...(unstable.length > 0 ? [`${counts}, ${unstable.length} unstable`] : []),
  ].join('\n');
}

const cut = (text: string, most: number): string[] => {
  const lines = text.trimEnd().split('\n');
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), '…'];
};
