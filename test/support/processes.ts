import { readFileSync } from 'node:fs';
import { listProcessTree } from '../../src/core/process-memory.ts';

/** Returns the words of a command line, each of which ends with a zero byte; empty for a process that has ended. */
export function readCommandLine(pid: number | string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Returns whether a process of PostgreSQL serves a client. */
export const isBackend = (pid: number): boolean =>
  /^postgres: \w+ \w+ \[local\]/.test(readCommandLine(pid));

/** Kills a process and all its descendants at once; one that ends just then is passed over. */
export function killProcessTree(root: number): void {
  for (const pid of listProcessTree(root)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
