import { MEASURE_NAMES, MEASURES, median, type MeasureName, type Row } from './measures.ts';
import { formatMarkdown, formatValue } from './table.ts';

/** A value that differs between two programs by more than chance, as medians of their runs. */
export type Difference = {
  readonly table: string;
  readonly name: string;
  readonly measure: MeasureName;
  readonly before: number;
  readonly after: number;
  /** By which share of the value before; positive is more. Infinity when that was 0. */
  readonly change: number;
  readonly isWorse: boolean;
};

/** From this share of the value before, a difference is reported. */
const NOTABLE = 0.1;

const toKey = ({ table, name }: Row): string => `${table}\n${name}`;

/**
 * Returns the values that differ by 10 % or more, and by more than the runs of either program differ among
 * themselves; all runs of one program are better than all of the other. Portable measures come
 * first, and the largest change first among them. The others need two runs at least.
 */
export function compareRows(before: readonly Row[], after: readonly Row[]): Difference[] {
  const [first, second] = [groupRuns(before), groupRuns(after)];
  const found = [...first].flatMap(([key, rows]) =>
    MEASURE_NAMES.flatMap((measure) => {
      const difference = compareValues(measure, rows, second.get(key) ?? []);
      return difference ? [difference] : [];
    }),
  );
  return found.toSorted(
    (a, b) =>
      Number(MEASURES[b.measure].isPortable) - Number(MEASURES[a.measure].isPortable) ||
      Math.abs(b.change) - Math.abs(a.change),
  );
}

const groupRuns = (rows: readonly Row[]): Map<string, Row[]> => Map.groupBy(rows, toKey);

const listValues = (rows: readonly Row[], measure: MeasureName): number[] =>
  rows.flatMap(({ values }) => values[measure] ?? []);

function compareValues(
  measure: MeasureName,
  rowsBefore: readonly Row[],
  rowsAfter: readonly Row[],
): Difference | undefined {
  const [olds, news] = [listValues(rowsBefore, measure), listValues(rowsAfter, measure)];
  if (olds.length === 0 || news.length === 0) return undefined;
  const { better, least, isPortable } = MEASURES[measure];
  // A single run does not tell how much of its value is chance.
  if (!isPortable && Math.min(olds.length, news.length) < 2) return undefined;
  const [before, after] = [median(olds), median(news)];
  const isMore = after > before;
  const isSeparate = isMore
    ? Math.min(...news) > Math.max(...olds)
    : Math.max(...news) < Math.min(...olds);
  const chance = Math.max(getSpread(olds), getSpread(news));
  const change = before === 0 ? Infinity : (after - before) / before;
  const isNotable =
    Math.abs(change) >= NOTABLE && Math.abs(after - before) >= Math.max(least, chance);
  if (!isSeparate || !isNotable) return undefined;
  const { table, name } = rowsBefore[0]!;
  return { table, name, measure, before, after, change, isWorse: isMore === (better === 'lower') };
}

const getSpread = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

/** Returns the rows that only one of the programs has values of, or that failed with one only. */
export function listUnmatched(before: readonly Row[], after: readonly Row[]): string[] {
  const describe = (rows: readonly Row[]) =>
    new Map(rows.map((row) => [toKey(row), row.note ?? 'measured']));
  const [first, second] = [describe(before), describe(after)];
  return [...new Set([...first.keys(), ...second.keys()])].flatMap((key) => {
    const [old, now] = [first.get(key) ?? 'none', second.get(key) ?? 'none'];
    return old === now ? [] : [`${key.replace('\n', ': ')}: ${old} before, ${now} now`];
  });
}

const formatChange = (change: number): string =>
  Number.isFinite(change)
    ? `${change > 0 ? '+' : '−'}${Math.abs(change * 100).toFixed(0)} %`
    : 'new';

/** Formats what is worse, what is better, and what cannot be compared, as Markdown. */
export function formatComparison(before: readonly Row[], after: readonly Row[]): string {
  const all = compareRows(before, after);
  const unmatched = listUnmatched(before, after);
  const part = (title: string, differences: readonly Difference[]) => [
    `## ${title}`,
    differences.length > 0 ? formatDifferences(differences) : 'Nothing.',
  ];
  return [
    ...part(
      'Worse by 10 % or more',
      all.filter(({ isWorse }) => isWorse),
    ),
    ...part(
      'Better by 10 % or more',
      all.filter(({ isWorse }) => !isWorse),
    ),
    ...(unmatched.length > 0
      ? ['## Not comparable', unmatched.map((line) => `- ${line}`).join('\n')]
      : []),
  ].join('\n\n');
}

const formatDifferences = (differences: readonly Difference[]): string =>
  formatMarkdown(
    ['', 'measure', 'before', 'now', 'change'],
    differences.map(({ table, name, measure, before, after, change }) => [
      `${table}: ${name}`,
      MEASURES[measure].title,
      formatValue(measure, before),
      formatValue(measure, after),
      formatChange(change),
    ]),
  );
