import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { readProcessStat } from './process-stat.ts';

// Incomplete files carry the id of their process, '<machine>-<pid>-<start time>', so that the next
// start can remove those of dead processes.

let processOwner: string | undefined;

export const getProcessOwner = (): string =>
  (processOwner ??= `${readMachineId() ?? 'unknown'}-${process.pid}-${readProcessStat(process.pid)?.startTime ?? 0}`);

/**
 * Returns true only when that process certainly no longer runs; ids of other machines are unknown.
 */
export function isOwnerProcessDead(mark: string): boolean {
  const [where, pid, startTime] = mark.split('-');
  if (!where || where === 'unknown' || where !== readMachineId()) return false;
  return readProcessStat(Number(pid))?.startTime !== startTime;
}

/** Process ids mean something only since the last boot, and only inside the same container. */
function readMachineId(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    const space = readlinkSync('/proc/self/ns/pid');
    return createHash('sha256').update(boot).update(space).digest('hex').slice(0, 12);
  } catch {
    return undefined;
  }
}
