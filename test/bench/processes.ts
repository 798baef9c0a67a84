import { readdirSync } from 'node:fs';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { readCommandLine, readProcessFile, readProgramName } from '../support/processes.ts';

// Processor time and memory of a process tree, from /proc.

/** Proportional set size of the tree, in MiB: shared pages are counted once among their sharers. */
export const pssMiB = (root: number): number =>
  listProcessTree(root).reduce((sum, pid) => sum + getPssKiB(pid), 0) / 1024;

const getPssKiB = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(readProcessFile(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);

/** Returns a memory field of /proc/PID/status, such as `VmRSS` or `VmHWM`, in MiB. */
export const memoryMiB = (pid: number, field: string): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readProcessFile(`/proc/${pid}/status`))?.[1] ?? 0) /
  1024;

/** Processor milliseconds of this process alone so far. */
export const getCpuMs = (pid: number): number => readTimes(pid).ownMs;

/** Processor milliseconds so far of a process, and of the children that it has waited for. */
export const getCpuMsWithEnded = (pid: number): number => {
  const { ownMs, endedMs } = readTimes(pid);
  return ownMs + endedMs;
};

function readTimes(pid: number): { readonly ownMs: number; readonly endedMs: number } {
  const stat = readProcessFile(`/proc/${pid}/stat`);
  if (!stat) return { ownMs: 0, endedMs: 0 };
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // utime, stime, cutime and cstime in ticks of 10 ms.
  const [user, system, endedUser, endedSystem] = fields
    .slice(11, 15)
    .map((field) => Number(field) * 10);
  return { ownMs: user! + system!, endedMs: endedUser! + endedSystem! };
}

/** Processor milliseconds so far of the connections to the database of that name. */
export const databaseCpuMs = (name: string): number =>
  listDatabaseProcesses(name).reduce((sum, pid) => sum + getCpuMs(pid), 0);

/** Values by program: see `getProgramName`. */
export type ByProgram = Readonly<Record<string, number>>;

/** Processor milliseconds of the tree so far by program, ended children with their parent. */
export const cpuMs = (root: number): ByProgram => sumByProgram(root, getCpuMsWithEnded);

/** Proportional set size of the tree in MiB, by program. */
export const memoryByProgram = (root: number): ByProgram =>
  sumByProgram(root, (pid) => getPssKiB(pid) / 1024);

function sumByProgram(root: number, getValue: (pid: number) => number): ByProgram {
  const sums: Record<string, number> = {};
  for (const pid of listProcessTree(root)) {
    const program = getProgramName(pid);
    if (program) sums[program] = (sums[program] ?? 0) + getValue(pid);
  }
  return sums;
}

/** Returns the name of a program; of our binary, that of the command: 'safelight serve'. */
function getProgramName(pid: number): string {
  const name = readProgramName(pid);
  const command = name === 'safelight' ? readCommandLine(pid).split('\0')[1] : undefined;
  return command ? `${name} ${command}` : name;
}

export const sumCpuMs = (used: ByProgram): number =>
  Object.values(used).reduce((sum, ms) => sum + ms, 0);

/** Processor time of threads so far, in ns, by process and thread. */
export type ThreadTimes = ReadonlyMap<string, number>;

/** Returns the times of all threads of these processes, as exact as the scheduler knows them. */
export function readThreadTimes(pids: readonly number[]): ThreadTimes {
  const times = new Map<string, number>();
  for (const pid of pids) {
    for (const thread of list(`/proc/${pid}/task`)) {
      const time = readProcessFile(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0];
      if (time) times.set(`${pid}/${thread}`, Number(time));
    }
  }
  return times;
}

/** Processor milliseconds of the threads that still run, since an earlier reading. */
export const getThreadsMs = (before: ThreadTimes, after: ThreadTimes): number =>
  [...after].reduce((sum, [thread, time]) => sum + time - (before.get(thread) ?? 0), 0) / 1e6;

/** Processor milliseconds up to now of threads that have ended since. */
export const getEndedThreadsMs = (before: ThreadTimes, after: ThreadTimes): number =>
  [...before].reduce((sum, [thread, time]) => sum + (after.has(thread) ? 0 : time), 0) / 1e6;

/** Processor milliseconds of the children that a process has waited for. */
export const getEndedChildrenMs = (pid: number): number => readTimes(pid).endedMs;

/** Returns the processes of PostgreSQL that serve the database of that name. */
export const listDatabaseProcesses = (name: string): number[] =>
  list('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    // PostgreSQL writes the database of a connection into its command line.
    .filter((pid) => readCommandLine(pid).includes(` ${name} `))
    .map(Number);

export const getParent = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(readProcessFile(`/proc/${pid}/status`))?.[1] ?? 0);

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
