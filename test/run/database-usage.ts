import { readdirSync } from 'node:fs';
import { getCpuMs } from '../bench/processes.ts';
import { readWorkers } from './table.ts';
import { readCommandLine } from '../support/processes.ts';

const INTERVAL_MS = 500;

/**
 * Measures the processor time of the connections to PostgreSQL by file of tests until it is stopped. Databases are named
 * after the worker that made them, and connections that live shorter than half a second may be missed.
 */
export function measureDatabase(folder: string) {
  const before = new Map<string, number>();
  const byFile = new Map<string, number>();
  const sample = () => {
    const current = readWorkers(folder);
    for (const { pid, worker } of listConnections()) {
      const cpu = getCpuMs(Number(pid));
      const used = cpu - (before.get(pid) ?? 0);
      before.set(pid, cpu);
      const file = current.get(worker);
      if (file && used > 0) byFile.set(file, (byFile.get(file) ?? 0) + used);
    }
  };
  const timer = setInterval(sample, INTERVAL_MS);
  return {
    stop(): ReadonlyMap<string, number> {
      clearInterval(timer);
      return byFile;
    },
  };
}

/** PostgreSQL writes the database of a connection into its command line. */
const listConnections = () =>
  readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const worker = /^postgres: .*_(\d+)_[0-9a-f]{8} /.exec(readCommandLine(pid))?.[1];
    return worker ? [{ pid, worker }] : [];
  });
