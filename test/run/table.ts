import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { median } from '../bench/figures/measures.ts';
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
  /** Time that the machine took for the same work, as a multiple of that of a quiet one; at least 1. */
  readonly slowness: number;
};

/** Median of `measureWork` on two cores with nothing but tests on them: measured over 45 files of areas and pages. */
const QUIET_WORK_MS = 2.5;

type TestCase = { readonly name: string; readonly wallMs: number };

/** Returns what every file and test of a run took, the dearest first. */
export function buildTable(
  folder: string,
  junit: string,
  databaseCpuMs: ReadonlyMap<string, number>,
): UsageTable {
  const cases = parseJunit(junit);
  const usages = readLines(folder).filter((line): line is FileUsage => 'file' in line);
  const files = usages.map(({ file, cpuMs, wallMs }) => {
    const ofDatabase = databaseCpuMs.get(file) ?? 0;
    return { file, cpuMs: cpuMs + ofDatabase, databaseCpuMs: ofDatabase, wallMs };
  });
  const tests = usages.flatMap(({ file, testCpuMs }) => {
    const ran = cases.get(file) ?? [];
    const isKnown = ran.length === testCpuMs.length;
    return ran.map(({ name, wallMs }, at) => {
      return { file, test: name, cpuMs: isKnown ? testCpuMs[at] : undefined, wallMs };
    });
  });
  return {
    slowness: computeSlowness(usages),
    files: files.toSorted((a, b) => b.cpuMs - a.cpuMs),
    tests: tests.toSorted((a, b) => b.wallMs - a.wallMs),
  };
}

/** A run without a file, as of a name that no test has, tells nothing. */
const computeSlowness = (usages: readonly FileUsage[]): number =>
  usages.length === 0 ? 1 : Math.max(1, median(usages.map(({ workMs }) => workMs)) / QUIET_WORK_MS);

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

/** Returns the tests that have run by file, in their order, from a report in the form of JUnit. */
export function parseJunit(xml: string): ReadonlyMap<string, readonly TestCase[]> {
  const byFile = new Map<string, TestCase[]>();
  const elements = xml.matchAll(/<testcase ([^>]*?)(\/>|>\s*(<skipped)?)/g);
  for (const [, attributes, , skipped] of elements) {
    if (skipped) continue;
    const get = (name: string) =>
      unescapeXml(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes!)?.[1] ?? '');
    const file = get('file');
    const name = [get('classname'), get('name')].filter(Boolean).join(' > ');
    const list = byFile.get(file) ?? [];
    list.push({ name, wallMs: Number(get('time')) * 1000 });
    byFile.set(file, list);
  }
  return byFile;
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

const unescapeXml = (text: string): string =>
  text.replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, code: string, name: string) =>
    code ? String.fromCodePoint(Number(code)) : (ENTITIES[name] ?? whole),
  );

const LISTED = 20;

/** Returns the lines that a run prints: its dearest files and tests, and its sum. */
export function formatTable({ files, tests, slowness }: UsageTable): string {
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
    `${files.length} files took ${(sum / 1000).toFixed(0)} s of CPU, the same work ${slowness.toFixed(1)} times as long as on a quiet machine`,
  ].join('\n');
}
