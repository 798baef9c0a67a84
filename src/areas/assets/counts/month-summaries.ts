import { LRUCache } from 'lru-cache';
import type { Sql } from 'postgres';
import type { Db } from '../../../db/client.ts';
import { perDatabase } from '../../../db/per-database.ts';
import { listVersions } from './month-summaries.store.ts';

/** How many items share some values, as country, state and city. */
export type ValueCount = {
  readonly parts: readonly (string | null)[];
  readonly count: number;
  /** One of the items, where the summary names any. It may have left since another month changed. */
  readonly example: string | null;
};
export type MonthValueCount = ValueCount & { readonly month: string };

/**
 * Counts of what an owner has in a month, which depend on nothing but rows whose changes stamp the
 * month (see "Counting" in src/README.md), and not on who asks.
 */
export type MonthSummary = {
  /** Its name in the memory. */
  readonly kind: string;
  /** Counts these months, or all of the owner. */
  readonly count: (
    db: Db,
    ownerId: string,
    months: readonly string[] | undefined,
  ) => Promise<readonly MonthValueCount[]>;
};

/** `sql` is the pool, whose memory is used. */
export type SummaryReader = { readonly db: Db; readonly sql: Sql };

type Month = { readonly version: string; readonly values: readonly ValueCount[] };
type Remembered = {
  readonly months: ReadonlyMap<string, Month>;
  readonly totals: readonly ValueCount[];
};

/** Values of all months of all owners that are held in memory: about 100 bytes each. */
const MAX_VALUES = 400_000;

const getMemory = perDatabase(
  () =>
    new LRUCache<string, Remembered>({
      maxSize: MAX_VALUES,
      sizeCalculation: ({ months, totals }) =>
        [...months.values()].reduce((sum, { values }) => sum + values.length, 1 + totals.length),
    }),
);

/** Returns the sums over all months by owner. Months that have not changed since are not counted again. */
export async function getSummaries(
  reader: SummaryReader,
  summary: MonthSummary,
  owners: readonly string[],
): Promise<ReadonlyMap<string, readonly ValueCount[]>> {
  // Read before the rows: a change in between makes a count newer than its version, never older.
  const rows = Map.groupBy(await listVersions(reader.db, owners), ({ ownerId }) => ownerId);
  const totals = owners.map(async (ownerId) => {
    const versions = new Map((rows.get(ownerId) ?? []).map((row) => [row.month, row.version]));
    return [ownerId, await getTotals(reader, summary, { ownerId, versions })] as const;
  });
  return new Map(await Promise.all(totals));
}

type Wanted = { readonly ownerId: string; readonly versions: ReadonlyMap<string, string> };

async function getTotals(
  { db, sql: pool }: SummaryReader,
  summary: MonthSummary,
  { ownerId, versions }: Wanted,
): Promise<readonly ValueCount[]> {
  const key = `${summary.kind} ${ownerId}`;
  const memory = getMemory(pool);
  const before = memory.get(key);
  const changed = [...versions.keys()].filter(
    (month) => before?.months.get(month)?.version !== versions.get(month),
  );
  if (before && changed.length === 0 && before.months.size === versions.size) return before.totals;
  // Reading half of the months by an index costs more than reading everything once.
  const isAll = changed.length * 2 > versions.size;
  const counted =
    changed.length === 0 ? [] : await summary.count(db, ownerId, isAll ? undefined : changed);
  const values = Map.groupBy(counted, ({ month }) => month);
  const isChanged = new Set(changed);
  const months = new Map(
    [...versions].map(([month, version]) => [
      month,
      isChanged.has(month)
        ? { version, values: values.get(month) ?? [] }
        : before!.months.get(month)!,
    ]),
  );
  const totals = sumUp(months.values());
  memory.set(key, { months, totals });
  return totals;
}

function sumUp(months: Iterable<Month>): ValueCount[] {
  const sums = new Map<string, { -readonly [K in keyof ValueCount]: ValueCount[K] }>();
  for (const { values } of months) {
    for (const { parts, count, example } of values) {
      const key = parts.map((part) => part ?? '\u0001').join('\u0000');
      const sum = sums.get(key);
      if (!sum) sums.set(key, { parts, count, example });
      else {
        sum.count += count;
        sum.example ??= example;
      }
    }
  }
  return [...sums.values()];
}
