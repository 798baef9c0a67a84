import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

// A file in progress carries the mark of its process, so that the next start can tell what a crash
// left behind from what another process is writing: '<machine>-<pid>-<start time>'.

let own: string | undefined;

export const ownMark = (): string =>
  (own ??= `${machine() ?? 'unknown'}-${process.pid}-${startTimeOf(process.pid) ?? 0}`);

/** True only when that process certainly no longer runs; a mark of another machine tells nothing. */
export function isMarkOfDead(mark: string): boolean {
  const [where, pid, startTime] = mark.split('-');
  if (!where || where === 'unknown' || where !== machine()) return false;
  return startTimeOf(Number(pid)) !== startTime;
}

/** Process ids mean something only since the last boot, and only inside the same container. */
function machine(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    const space = readlinkSync('/proc/self/ns/pid');
    return createHash('sha256').update(boot).update(space).digest('hex').slice(0, 12);
  } catch {
    return undefined;
  }
}

/** In clock ticks since boot; undefined when there is no such process. */
function startTimeOf(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in brackets and may contain anything.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
