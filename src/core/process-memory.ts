import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Returns the ids of the process and all its descendants. */
export function listProcessTree(root: number): number[] {
  const found = [root];
  for (const pid of found) {
    try {
      for (const task of readdirSync(`/proc/${pid}/task`)) {
        const children = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8');
        found.push(...children.split(' ').filter(Boolean).map(Number));
      }
    } catch {
      // The process has ended.
    }
  }
  return found;
}

/**
 * Returns the memory of the process tree by program, in bytes: the proportional set size, which counts a
 * shared page once among its sharers. Processes of other users are left out.
 */
export async function measureMemory(root: number): Promise<Map<string, number>> {
  const memory = new Map<string, number>();
  for (const pid of listProcessTree(root)) {
    try {
      const program = (await readFile(`/proc/${pid}/comm`, 'utf8')).trim();
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
      const bytes = Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) * 1024;
      memory.set(program, (memory.get(program) ?? 0) + bytes);
    } catch {
      // It has ended, or may not be read.
    }
  }
  return memory;
}
