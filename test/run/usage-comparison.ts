import type { UsageTable } from './table.ts';

/** Smaller differences are chance. */
const LEAST_MS = 1000;
const LEAST_SHARE = 0.2;

/** Returns lines about the files whose processor time differs, those that grew most first, and about the sum. */
export function compareUsage(before: UsageTable, now: UsageTable): string {
  const [old, recent] = [toMap(before), toMap(now)];
  const rows = [...new Set([...old.keys(), ...recent.keys()])]
    .map((file) => ({ file, from: old.get(file) ?? 0, to: recent.get(file) ?? 0 }))
    .filter(({ from, to }) => Math.abs(to - from) >= Math.max(LEAST_MS, LEAST_SHARE * from))
    .toSorted((a, b) => b.to - b.from - (a.to - a.from));
  const format = (from: number, to: number, name: string) =>
    `${toSeconds(from)}${toSeconds(to)}  ${name}`;
  return [
    'Processor time in seconds: before, now',
    ...rows.map(({ file, from, to }) => format(from, to, file)),
    format(sum(old), sum(recent), 'all files'),
  ].join('\n');
}

const toMap = ({ files }: UsageTable) => new Map(files.map(({ file, cpuMs }) => [file, cpuMs]));

const sum = (values: ReadonlyMap<string, number>): number =>
  [...values.values()].reduce((total, value) => total + value, 0);

const toSeconds = (ms: number): string => (ms / 1000).toFixed(1).padStart(8);
