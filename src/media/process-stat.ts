import { readFileSync } from 'node:fs';

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
export function readProcessStat(pid: number): ProcessStat | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in brackets and may contain anything.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return {
      state: fields[0]!,
      cpuTicks: Number(fields[11]) + Number(fields[12]),
      startTime: fields[19]!,
    };
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

export type StallWatch = {
  /** Reports output, which counts as progress. */
  touch(): void;
  stop(): void;
};

/** A process without processor time and output for this long hangs or was stopped. */
export const STALL_MS = 25_000;
const CHECK_MS = 1000;

/** Calls `onStall` once when the process that `readStat` is about has made no progress for `stallMs`. */
export function watchForStall(
  readStat: () => ProcessStat | undefined,
  onStall: () => void,
  stallMs = STALL_MS,
): StallWatch {
  let ticks = -1;
  let since = performance.now();
  const timer = setInterval(
    () => {
      const stat = readStat();
      // One that waits for a disk cannot be killed either, and goes on when the disk has woken up.
      if (!stat || stat.cpuTicks !== ticks || stat.state === 'D') {
        ticks = stat?.cpuTicks ?? -1;
        since = performance.now();
      } else if (performance.now() - since >= stallMs) {
        clearInterval(timer);
        onStall();
      }
    },
    Math.min(CHECK_MS, stallMs / 4),
  );
  timer.unref();
  return {
    touch() {
      since = performance.now();
    },
    stop: () => clearInterval(timer),
  };
}
