import { listProcessTree } from '../../src/core/process-memory.ts';

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
