import { formatDuration } from './format.ts';

/** Without a total only what is done is shown. */
export type UpdateProgress = (done: number, total?: number) => void;

const REDRAW_MS = 100;
/** Sooner an estimate says little. */
const ESTIMATE_SECONDS = 3;
const BAR_WIDTH = 24;
const CLEAR = '\r\u001B[K';

let shown: string | undefined;

/** Shows a bar on standard error during the work; nothing if that is no terminal. */
export async function withProgress<T>(
  label: string,
  format: (amount: number) => string,
  work: (update: UpdateProgress) => Promise<T>,
): Promise<T> {
  try {
    return await work(process.stderr.isTTY ? createBar(label, format) : () => {});
  } finally {
    hideProgress();
  }
}

function createBar(label: string, format: (amount: number) => string): UpdateProgress {
  let startedAt = performance.now();
  let drawnAt = -Infinity;
  let before = 0;
  return (done, total) => {
    const now = performance.now();
    // The next of several files.
    if (done < before) startedAt = now;
    before = done;
    if (now - drawnAt < REDRAW_MS) return;
    drawnAt = now;
    const seconds = (now - startedAt) / 1000;
    draw(`${label}  ${formatProgress({ done, total, seconds }, format)}`);
  };
}

/** Removes the bar before something else is written; the next update shows it again. */
export function hideProgress(): void {
  if (shown !== undefined) process.stderr.write(CLEAR);
  shown = undefined;
}

function draw(line: string): void {
  shown = Bun.sliceAnsi(line, 0, (process.stderr.columns || 80) - 1);
  process.stderr.write(`${CLEAR}${shown}`);
}

type State = {
  readonly done: number;
  readonly total: number | undefined;
  readonly seconds: number;
};

export function formatProgress(
  { done, total, seconds }: State,
  format: (amount: number) => string,
): string {
  if (total === undefined) return `${format(done)}  ${formatDuration(seconds)}`;
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const bar = '#'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '-');
  const text = `[${bar}] ${Math.floor(share * 100)} %  ${format(done)} of ${format(total)}`;
  if (seconds < ESTIMATE_SECONDS || share === 0) return text;
  return `${text}  ${formatDuration(seconds / share - seconds)} left`;
}
