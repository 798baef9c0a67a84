import { readFileSync } from 'node:fs';
import { listProcessTree } from '../../src/core/process-memory.ts';

// Every text is empty for a process that has ended.

/** Returns the words of a command line, each of which ends with a zero byte. */
export const readCommandLine = (pid: number | string): string =>
  readProcessFile(`/proc/${pid}/cmdline`);

/** Returns the name of a program, of at most 15 characters. */
export const readProgramName = (pid: number): string => readProcessFile(`/proc/${pid}/comm`).trim();

/** Returns a file below /proc as text. */
export function readProcessFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Returns this process and its descendants whose command line contains a text. */
export const listOwnProcesses = (text: string): number[] =>
  listProcessTree(process.pid).filter((pid) => readCommandLine(pid).includes(text));

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
