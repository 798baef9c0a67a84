import type { Deps } from '../../../core/context.ts';
import { requireValue } from '../../../core/required.ts';
import type { Db } from '../../../db/client.ts';
import { isServerFault } from '../../../db/errors.ts';
import { defineKind } from '../../../read-cache/memory.ts';
import { listStale, listStored, listVersions, storeMonths } from './month-summaries.store.ts';
import { recountChanged, type VersionedMonths } from './versioned-months.ts';

type Parts = readonly (string | null)[];
/** Number of items with the same values, for example country, state and city. */
export type ValueCount<P extends Parts = Parts> = {
  readonly parts: P;
  readonly count: number;
  /** One of the items, where the summary names any. It may have left since another month changed. */
  readonly example: string | null;
};
export type MonthValueCount<P extends Parts = Parts> = ValueCount<P> & { readonly month: string };

/**
 * Counts of what an owner has in a month, which depend on nothing but rows whose changes stamp the
 * month (see README.md), and not on who asks.
 */
export type MonthSummary<P extends Parts = Parts> = {
  /** Its name in the memory and in month_summary. */
  readonly kind: string;
  /** A release whose `count` returns something else for the same rows has a higher number. */
  readonly format: number;
  /** Counts these months, or all of the owner. */
  readonly count: (
    db: Db,
    ownerId: string,
    months: readonly string[] | undefined,
  ) => Promise<readonly MonthValueCount<P>[]>;
};

/** `sql` is the pool, whose memory is used. */
export type SummaryReader = Pick<Deps, 'db' | 'sql' | 'log' | 'settings'>;

/** One list for each field, in the same order: quicker to read from JSON than a list of objects. */
type Values = {
  /** JSON of the parts. */
  readonly keys: string[];
  readonly counts: number[];
  readonly examples: (string | null)[];
};
type Months = VersionedMonths<Values>;
type Remembered = {
  readonly months: Months;
  readonly totals: readonly ValueCount[];
  readonly unstored: Unstored;
};

/** The months that month_summary does not have, or has at another version. */
type Unstored = { readonly months: Set<string>; nextWriteAt: number };

/** About what a value takes, in bytes. */
const VALUE_BYTES = 100;
/** While files are imported, every answer counts a month again that has changed again before the next. */
const WRITE_INTERVAL_MS = 60_000;
/** Writing more at once would hold up other requests. */
const MONTHS_PER_WRITE = 8;

const memory = defineKind<Remembered>(
  'month summaries',
  ({ months, totals }) =>
    VALUE_BYTES *
    [...months.values()].reduce((sum, { value }) => sum + value.keys.length, totals.length),
);

/** Returns the sums over all months by owner. Months that have not changed since are not counted again. */
export async function getSummaries<P extends Parts>(
  reader: SummaryReader,
  summary: MonthSummary<P>,
  owners: readonly string[],
): Promise<ReadonlyMap<string, readonly ValueCount<P>[]>> {
  const unknown = owners.filter((ownerId) => !memory.find(reader, toKey(summary, ownerId)));
  const [versions, stored] = await Promise.all([
    listVersions(reader.db, owners),
    unknown.length > 0 ? listStored(reader.db, summary, unknown) : [],
  ]);
  const versionsByOwner = Map.groupBy(versions, ({ ownerId }) => ownerId);
  const storedByOwner = Map.groupBy(stored, ({ ownerId }) => ownerId);
  const totals = owners.map(async (ownerId) => {
    const wanted = {
      ownerId,
      versions: new Map(versionsByOwner.get(ownerId)?.map((row) => [row.month, row.version])),
      stored: new Map(
        storedByOwner
          .get(ownerId)
          ?.map(({ month, version, content }) => [
            month,
            { version, value: JSON.parse(content) as Values },
          ]),
      ),
    };
    // Only this summary writes rows of its kind: their parts are as it counts them.
    const values = (await getTotals(reader, summary, wanted)) as readonly ValueCount<P>[];
    return [ownerId, values] as const;
  });
  return new Map(await Promise.all(totals));
}

const toKey = ({ kind }: MonthSummary, ownerId: string) => `${kind} ${ownerId}`;

type Wanted = {
  readonly ownerId: string;
  readonly versions: ReadonlyMap<string, string>;
  readonly stored: Months;
};

async function getTotals(
  reader: SummaryReader,
  summary: MonthSummary,
  { ownerId, versions, stored }: Wanted,
): Promise<readonly ValueCount[]> {
  const key = toKey(summary, ownerId);
  const known = memory.find(reader, key);
  const before = known?.months ?? stored;
  const months = await recountChanged({
    versions,
    before,
    count: async (wanted) => groupByMonth(await summary.count(reader.db, ownerId, wanted)),
    empty: NOTHING,
  });
  let entry = known;
  if (!entry || months !== before) {
    const unstored = known?.unstored ?? { months: new Set(), nextWriteAt: 0 };
    for (const [month, counted] of months) {
      if (before.get(month) !== counted) unstored.months.add(month);
    }
    entry = { months, totals: sumUp(months), unstored };
    memory.keep(reader, key, entry);
  }
  // The answer does not wait for it.
  void storeUnstored(reader, summary, { ownerId, ...entry });
  return entry.totals;
}

/** Counts and stores the months of all owners whose summary is stale, some of them in each step. */
export async function* storeStale(
  { db, sql: pool }: Pick<SummaryReader, 'db' | 'sql'>,
  summary: MonthSummary,
): AsyncGenerator<void> {
  const stale = Map.groupBy(await listStale(db, summary), ({ ownerId }) => ownerId);
  for (const [ownerId, versions] of stale) {
    for (let from = 0; from < versions.length; from += MONTHS_PER_WRITE) {
      const some = versions.slice(from, from + MONTHS_PER_WRITE);
      const months = some.map(({ month }) => month);
      const counted = groupByMonth(await summary.count(db, ownerId, months));
      const rows = some.map(({ month, version }) => {
        return { month, version, content: JSON.stringify(counted.get(month) ?? NOTHING) };
      });
      await storeMonths(pool, { ...summary, ownerId }, rows);
      yield;
    }
  }
}

const NOTHING: Values = { keys: [], counts: [], examples: [] };

/**
 * Writes the months that are not stored, unless that was done a moment ago. Does not throw: a month that
 * is not stored is counted after the next start.
 */
async function storeUnstored(
  { sql: pool, log }: SummaryReader,
  summary: MonthSummary,
  { ownerId, months, unstored }: Remembered & { readonly ownerId: string },
): Promise<void> {
  if (unstored.months.size === 0 || performance.now() < unstored.nextWriteAt) return;
  unstored.nextWriteAt = performance.now() + WRITE_INTERVAL_MS;
  let due = [...months].filter(([month]) => unstored.months.has(month));
  // A month that changes while it is written is due again.
  unstored.months.clear();
  try {
    while (due.length > 0) {
      const rows = due
        .slice(0, MONTHS_PER_WRITE)
        .map(([month, { version, value }]) => ({ month, version, content: JSON.stringify(value) }));
      await storeMonths(pool, { ...summary, ownerId }, rows);
      due = due.slice(MONTHS_PER_WRITE);
    }
  } catch (error) {
    for (const [month] of due) unstored.months.add(month);
    if (isServerFault(error)) return;
    log.warn('summaries of months could not be stored', { kind: summary.kind, error });
  }
}

function groupByMonth(rows: readonly MonthValueCount[]): ReadonlyMap<string, Values> {
  const months = new Map<string, Values>();
  for (const { month, parts, count, example } of rows) {
    let values = months.get(month);
    if (!values) months.set(month, (values = { keys: [], counts: [], examples: [] }));
    values.keys.push(JSON.stringify(parts));
    values.counts.push(count);
    values.examples.push(example);
  }
  return months;
}

function sumUp(months: Months): ValueCount[] {
  const sums = new Map<string, { count: number; example: string | null }>();
  for (const { value } of months.values()) {
    const { keys, counts, examples } = value;
    keys.forEach((key, n) => {
      const count = requireValue(counts[n], 'count of a value');
      const example = examples[n] ?? null;
      const sum = sums.get(key);
      if (!sum) sums.set(key, { count, example });
      else {
        sum.count += count;
        sum.example ??= example;
      }
    });
  }
  return [...sums].map(([key, sum]) => ({
    parts: JSON.parse(key) as ValueCount['parts'],
    ...sum,
  }));
}
