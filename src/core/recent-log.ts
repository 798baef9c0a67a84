// The last lines that this process has logged, for administrators who cannot read the journal.

type Level = 'debug' | 'info' | 'warn' | 'error';

export type RememberedLine = {
  readonly time: string;
  readonly level: Level;
  readonly line: string;
};
export type RecentLine = {
  /** Its place in the order of all lines of the process, from 1. */
  readonly id: number;
  readonly time: string;
  readonly level: Level;
  /** The message and its fields. */
  readonly text: string;
};

const MAX_LINES = 500;
const MAX_LINE_CHARACTERS = 2000;
/** Names the life of this process: ids of another one mean other lines. */
export const RUN = crypto.randomUUID();

const lines: RememberedLine[] = [];
let count = 0;
let forward: ((line: RememberedLine) => void) | undefined;

export function rememberLine(line: string, level: Level = 'info'): void {
  remember({
    time: new Date().toISOString(),
    level,
    line: line.slice(0, MAX_LINE_CHARACTERS).trimEnd(),
  });
}

/** Takes the line of another thread, too. */
export function remember(line: RememberedLine): void {
  lines.push(line);
  count += 1;
  if (lines.length > MAX_LINES) lines.shift();
  forward?.(line);
}

/** Has a thread tell its lines to the one that shows them. */
export function forwardLines(send: (line: RememberedLine) => void): void {
  forward = send;
}

/** Returns the lines, oldest first, without colours and without what opens the server or its database. */
export const readRecentLog = (): string =>
  lines.map(({ line }) => `${maskSecrets(Bun.stripANSI(line))}\n`).join('');

/** Returns the lines after the one with this id, oldest first. */
export function listRecentLines(after: number): RecentLine[] {
  const first = count - lines.length + 1;
  return lines
    .map(({ time, level, line }, at) => ({ id: first + at, time, level, text: toText(line) }))
    .filter(({ id }) => id > after);
}

/** Returns a line of either format without what is told beside it. */
function toText(line: string): string {
  const plain = maskSecrets(Bun.stripANSI(line));
  if (!plain.startsWith('{')) {
    return plain.replace(/^\d\d:\d\d:\d\d (?:debug|info|warn|error) +/, '');
  }
  try {
    const { time: _time, level: _level, message, ...fields } = JSON.parse(plain);
    const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${String(value)}`);
    return `${message}${rest.join('')}`;
  } catch {
    // It was too long and is cut.
    return plain;
  }
}

/** Tokens in addresses and headers, and passwords in addresses of databases. */
export const maskSecrets = (line: string): string =>
  line
    .replaceAll(/([?&](?:token|key|slug|password|code|state|apiKey|sessionKey)=)[^\s&"]+/g, '$1…')
    .replaceAll(/(\/invitation#)[\w-]+/g, '$1…')
    .replaceAll(/(\bBearer )[\w.~+/-]+/gi, '$1…')
    .replaceAll(/(\/\/[^/\s:@"]+:)[^/\s@"]+@/g, '$1…@');
