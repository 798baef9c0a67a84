import { fstatSync } from 'node:fs';

/** Priorities of syslog(3) by level. */
const PRIORITIES = { debug: 7, info: 6, warn: 4, error: 3 } as const;

/**
 * Writes lines to standard output (1) or standard error (2). The journal reads their priority from their
 * first characters (sd-daemon(3)); nothing else sees those.
 */
export function writeLines(fd: 1 | 2, level: keyof typeof PRIORITIES, text: string): void {
  const prefix = `<${PRIORITIES[level]}>`;
  const stream = fd === 1 ? process.stdout : process.stderr;
  stream.write(isJournal(fd) ? text.replaceAll(/^(?=.)/gm, prefix) : text);
}

const known = new Map<number, boolean>();

/** Whether systemd has connected the stream to the journal: JOURNAL_STREAM is its device and inode (systemd.exec(5)). */
function isJournal(fd: number): boolean {
  let found = known.get(fd);
  if (found === undefined) known.set(fd, (found = findJournal(fd)));
  return found;
}

function findJournal(fd: number): boolean {
  const { JOURNAL_STREAM: stream } = process.env;
  if (!stream) return false;
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return stream === `${dev}:${ino}`;
  } catch {
    return false;
  }
}
