import { afterAll, afterEach, beforeAll } from 'bun:test';
import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { cpuMs, sumCpuMs } from '../bench/processes.ts';
import { getLeftOutMs, readOwnCpuMs } from './cpu.ts';

const ROOT = join(import.meta.dir, '../..');

/** The cost of one file: its imports, its tests and the processes that they started, without those of PostgreSQL. */
export type FileUsage = {
  readonly file: string;
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The CPU of each test, in the order in which they ran, without children that are still alive. */
  readonly testCpuMs: readonly number[];
};

/** A line of a worker's file: what it runs now, or what the file took that it has run. */
export type UsageLine = { readonly begins: string } | FileUsage;

/**
 * Measures every file that this worker runs, and writes lines of JSON to a file of `folder` named by the worker's id. A
 * file begins where the one before has ended, so that its imports count.
 */
export function recordUsage(folder: string): void {
  const path = join(folder, `${process.pid}.jsonl`);
  const write = (line: UsageLine) => appendFileSync(path, `${JSON.stringify(line)}\n`);
  const measureTree = () => sumCpuMs(cpuMs(process.pid)) - getLeftOutMs();
  const getFile = () => relative(ROOT, Bun.main);
  let [cpu, own, wall] = [0, 0, performance.now()];
  let testCpuMs: number[] = [];

  beforeAll(() => {
    write({ begins: getFile() });
    own = readOwnCpuMs();
  });
  afterEach(() => {
    const now = readOwnCpuMs();
    testCpuMs.push(now - own);
    own = now;
  });
  afterAll(() => {
    const wallMs = Math.round(performance.now() - wall);
    const used = measureTree() - cpu;
    write({ file: getFile(), cpuMs: used, wallMs, testCpuMs });
    [cpu, wall, testCpuMs] = [measureTree(), performance.now(), []];
  });
}
