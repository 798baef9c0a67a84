import { LRUCache } from 'lru-cache';
import type { Sql } from 'postgres';
import type { Db } from '../../../db/client.ts';
import { perDatabase } from '../../../db/per-database.ts';
import { listVersions } from './month-summaries.store.ts';
import { recountChanged, type VersionedMonths } from './versioned-months.ts';

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

type Months = VersionedMonths<readonly ValueCount[]>;
type Remembered = {
  readonly months: Months;
  readonly totals: readonly ValueCount[];
};

/** Values of all months of all owners that are held in memory: about 100 bytes each. */
const MAX_VALUES = 400_000;

const getMemory = perDatabase(
  () =>
    new LRUCache<string, Remembered>({
      maxSize: MAX_VALUES,
      sizeCalculation: ({ months, totals }) =>
        [...months.values()].reduce((sum, { value }) => sum + value.length, 1 + totals.length),
    }),
);

/** Returns the sums over all months by owner. Months that have not changed since are not counted again. */
export async function getSummaries(
  reader: SummaryReader,
  summary: MonthSummary,
  owners: readonly string[],
): Promise<ReadonlyMap<string, readonly ValueCount[]>> {
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
  const months = await recountChanged({
    versions,
    before: before?.months,
    count: async (wanted) =>
      Map.groupBy(await summary.count(db, ownerId, wanted), ({ month }) => month),
    empty: [],
  });
  if (before?.months === months) return before.totals;
  const totals = sumUp(months);
  memory.set(key, { months, totals });
  return totals;
}

function sumUp(months: Months): ValueCount[] {
  const sums = new Map<string, { -readonly [K in keyof ValueCount]: ValueCount[K] }>();
  for (const { value } of months.values()) {
    for (const { parts, count, example } of value) {
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
