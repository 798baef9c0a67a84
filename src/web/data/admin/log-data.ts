import { get } from '../../base/api.ts';
import type { LogLines } from '../types.ts';

export type Line = LogLines['lines'][number];
export type Log = { readonly run: string | undefined; readonly lines: readonly Line[] };

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export const NO_LINES: Log = { run: undefined, lines: [] };
/** As many as the browser scrolls with ease. */
const MAX_LINES = 2000;

export async function fetchLog({ run, lines }: Log): Promise<Log> {
  const after = lines.at(-1)?.id;
  const found = await get<LogLines>('/admin/log', {
    ...(run !== undefined && after !== undefined && { run, after }),
  });
  return append({ run, lines }, found);
}

/** After a restart of the server, the lines before it stay. */
export const append = (known: Log, { run, lines }: LogLines): Log => ({
  run,
  lines: [...known.lines, ...lines].slice(-MAX_LINES),
});

export type Filter = { readonly level: Line['level']; readonly text: string };

/** Returns the lines of at least the level that contain the text. */
export function filterLines(lines: readonly Line[], { level, text }: Filter): Line[] {
  const wanted = text.trim().toLowerCase();
  return lines.filter(
    (line) =>
      LEVELS.indexOf(line.level) >= LEVELS.indexOf(level) &&
      line.text.toLowerCase().includes(wanted),
  );
}
