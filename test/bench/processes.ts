import { readdirSync, readFileSync } from 'node:fs';
import { listProcessTree } from '../../src/core/process-memory.ts';

// Processor time and memory of a process tree, from /proc.

/** Proportional set size of the tree, in MiB: shared pages are counted once among their sharers. */
export const pssMiB = (root: number): number =>
  listProcessTree(root).reduce((sum, pid) => sum + getPssKiB(pid), 0) / 1024;

const getPssKiB = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);

/** Returns a memory field of /proc/PID/status, such as `VmRSS` or `VmHWM`, in MiB. */
export const memoryMiB = (pid: number, field: string): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;

/** Processor milliseconds of this process alone so far. */
export function getCpuMs(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // User and system time in ticks of 10 ms.
  return stat ? (Number(fields[11]) + Number(fields[12])) * 10 : 0;
}

/** Processor milliseconds so far of the connections to the database of that name. */
export const databaseCpuMs = (name: string): number =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    // PostgreSQL writes the database of a connection into its command line.
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes(` ${name} `))
    .reduce((sum, pid) => sum + getCpuMs(Number(pid)), 0);

export type CpuByName = Record<string, number>;

/** Processor milliseconds of the tree so far by program, ended children with their parent. */
export function cpuMs(root: number): CpuByName {
  const used: CpuByName = {};
  for (const pid of listProcessTree(root)) {
    const line = read(`/proc/${pid}/stat`);
    if (!line) continue;
    const name = line.slice(line.indexOf('(') + 1, line.lastIndexOf(')'));
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    // utime, stime and those of children that were waited for, in ticks of 10 ms.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    used[name] = (used[name] ?? 0) + ticks * 10;
  }
  return used;
}

export const sumCpuMs = (used: CpuByName): number =>
  Object.values(used).reduce((sum, ms) => sum + ms, 0);

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
