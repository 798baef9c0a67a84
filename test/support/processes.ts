import { readFileSync } from 'node:fs';
import { listProcessTree } from '../../src/core/process-memory.ts';

// Of a process that has ended, everything is empty.

/** Returns the words of a command line, each of which ends with a zero byte. */
export const readCommandLine = (pid: number | string): string => read(`/proc/${pid}/cmdline`);

/** Returns the name of a program, of at most 15 characters. */
export const readProgramName = (pid: number): string => read(`/proc/${pid}/comm`).trim();

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
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
