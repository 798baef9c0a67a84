import { readFileSync, readlinkSync } from 'node:fs';
import { createHash } from 'node:crypto';

export type ProcessStat = {
  /** As ps shows it: R, S, D (waits for a device), T (stopped), Z. */
  readonly state: string;
  /** User and system time of all its threads, in clock ticks. */
  readonly cpuTicks: number;
  /** In clock ticks since boot. */
  readonly startTime: string;
};

const PAGE_BYTES = 4096;

/** Returns what proc(5) says in /proc/PID/stat; undefined when there is no such process. */
export const readProcessStat = (pid: number): ProcessStat | undefined => readStat(`/proc/${pid}`);

/** The same of a thread of this process: its own processor time. */
export const readThreadStat = (id: number): ProcessStat | undefined =>
  readStat(`/proc/self/task/${id}`);

function readStat(folder: string): ProcessStat | undefined {
  try {
    const line = readFileSync(`${folder}/stat`, 'utf8');
    // The name of the program stands in brackets and may contain anything.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const [state, startTime] = [fields[0], fields[19]];
    if (state === undefined || startTime === undefined) return undefined;
    return { state, cpuTicks: Number(fields[11]) + Number(fields[12]), startTime };
  } catch {
    return undefined;
  }
}

/** Resident bytes; 0 when there is no such process. */
export function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

/** Why a watched process should end: only `timeout` says something about its work, that it takes too much. */
export type WatchEnd = 'timeout' | 'stall' | 'starved';

export type ProcessWatch = {
  /** Reports output, which counts as progress. */
  touch(): void;
  stop(): void;
};

export type WatchLimits = {
  /** For its work, if it had this share of a processor meanwhile (see `share`). */
  readonly limitMs?: number | undefined;
  readonly share?: number | undefined;
  /** Without processor time and output. */
  readonly stallMs?: number | undefined;
  /** For its work, however little processor time it had. */
  readonly starvedMs?: number | undefined;
};

/** A process without processor time and output for this long hangs or was stopped. */
export const STALL_MS = 25_000;
const CHECK_MS = 1000;
/** In /proc a tick is that long on every Linux. */
const TICK_MS = 10;
/** A tool that had half a processor, and was not done in its time, is too slow by itself. */
const TOOL_SHARE = 0.5;
/** The patience with a tool that had less. */
const STARVED_FACTOR = 4;

/**
 * Calls `onEnd` once, when the process that `readStat` is about has used up its limit, or makes no progress. Time counts
 * only while this process runs: a machine that is suspended or overloaded ends nothing.
 */
export function watchProcess(
  readStat: () => ProcessStat | undefined,
  onEnd: (end: WatchEnd) => void,
  { limitMs = Infinity, share = TOOL_SHARE, stallMs = STALL_MS, ...more }: WatchLimits = {},
): ProcessWatch {
  const { starvedMs = STARVED_FACTOR * limitMs } = more;
  const intervalMs = Math.min(CHECK_MS, stallMs / 4, limitMs / 4);
  let first: number | undefined;
  let last = -1;
  let checkedAt = performance.now();
  let [passedMs, idleMs] = [0, 0];

  function check(): WatchEnd | undefined {
    const stat = readStat();
    const now = performance.now();
    const stepMs = Math.min(now - checkedAt, 2 * intervalMs);
    checkedAt = now;
    passedMs += stepMs;
    first ??= stat?.cpuTicks;
    // A process that waits for a disk cannot be killed either, and goes on when the disk has woken up.
    idleMs = !stat || stat.cpuTicks !== last || stat.state === 'D' ? 0 : idleMs + stepMs;
    last = stat?.cpuTicks ?? -1;
    const usedMs = stat ? (stat.cpuTicks - (first ?? 0)) * TICK_MS : 0;
    if (idleMs >= stallMs) return 'stall';
    if (passedMs >= limitMs && usedMs >= limitMs * share) return 'timeout';
    return passedMs >= starvedMs ? 'starved' : undefined;
  }

  const timer = setInterval(() => {
    const end = check();
    if (end === undefined) return;
    clearInterval(timer);
    onEnd(end);
  }, intervalMs);
  timer.unref();
  check();
  return {
    touch() {
      idleMs = 0;
    },
    stop: () => clearInterval(timer),
  };
}

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
