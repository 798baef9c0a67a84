import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Result } from './results.ts';
import type { FileUsage, UsageLine } from './usage.ts';

export type FileRow = {
  readonly file: string;
  /** With the connections to PostgreSQL. */
  readonly cpuMs: number;
  readonly databaseCpuMs: number;
  readonly wallMs: number;
};

export type TestRow = {
  readonly file: string;
  readonly test: string;
  /** Undefined if the tests of the file could not be told apart. */
  readonly cpuMs: number | undefined;
  readonly wallMs: number;
};

export type UsageTable = {
  readonly files: readonly FileRow[];
  readonly tests: readonly TestRow[];
};

/** Returns what every file and test of a run took, the dearest first. */
export function buildTable(
  folder: string,
  results: readonly Result[],
  databaseCpuMs: ReadonlyMap<string, number>,
): UsageTable {
  const ran = Map.groupBy(
    results.filter(({ outcome }) => outcome !== 'skipped'),
    ({ file }) => file,
  );
  const usages = readLines(folder).filter((line): line is FileUsage => 'file' in line);
  const files = usages.map(({ file, cpuMs, wallMs }) => {
    const ofDatabase = databaseCpuMs.get(file) ?? 0;
    return { file, cpuMs: cpuMs + ofDatabase, databaseCpuMs: ofDatabase, wallMs };
  });
  const tests = usages.flatMap(({ file, testCpuMs }) => {
    const ofFile = ran.get(file) ?? [];
    const isKnown = ofFile.length === testCpuMs.length;
    return ofFile.map(({ name, wallMs }, at) => {
      return { file, test: name, cpuMs: isKnown ? testCpuMs[at] : undefined, wallMs };
    });
  });
  return {
    files: files.toSorted((a, b) => b.cpuMs - a.cpuMs),
    tests: tests.toSorted((a, b) => b.wallMs - a.wallMs),
  };
}

/** Returns the file that each worker runs, or has run last. */
export function readWorkers(folder: string): ReadonlyMap<string, string> {
  const current = new Map<string, string>();
  for (const name of listFiles(folder)) {
    const begun = readFile(folder, name).findLast((line) => 'begins' in line);
    if (begun) current.set(basename(name, '.jsonl'), begun.begins);
  }
  return current;
}

const readLines = (folder: string): UsageLine[] =>
  listFiles(folder).flatMap((name) => readFile(folder, name));

const listFiles = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.jsonl'));

/** A line that is being written is left out. */
const readFile = (folder: string, name: string): UsageLine[] =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as UsageLine);

const LISTED = 20;

/** Returns the lines that a run prints: its dearest files and tests, and its sum. */
export function formatTable({ files, tests }: UsageTable): string {
  const seconds = (ms: number | undefined) =>
    (ms === undefined ? '?' : (ms / 1000).toFixed(1)).padStart(7);
  const sum = files.reduce((total, { cpuMs }) => total + cpuMs, 0);
  return [
    `Dearest files, in seconds: CPU, of that PostgreSQL, duration`,
    ...files
      .slice(0, LISTED)
      .map(
        (row) => `${[row.cpuMs, row.databaseCpuMs, row.wallMs].map(seconds).join('')}  ${row.file}`,
      ),
    `Longest tests, in seconds: CPU without PostgreSQL, duration`,
    ...tests
      .slice(0, LISTED)
      .map((row) => `${[row.cpuMs, row.wallMs].map(seconds).join('')}  ${row.file}: ${row.test}`),
    `${files.length} files took ${(sum / 1000).toFixed(0)} s of CPU`,
  ].join('\n');
}
