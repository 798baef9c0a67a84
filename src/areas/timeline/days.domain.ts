import type { Ctx } from '../../core/context.ts';
import { requireValue } from '../../core/required.ts';
import { countTextBytes, defineKind } from '../../read-cache/memory.ts';
import { type Column, type Columns, readDays } from './bucket.store.ts';
import { type DayChanges, readChanges } from './days.store.ts';
import type { Selection } from './store.ts';

// Large months of the own Timeline are remembered by day: after a change only the days of the changed
// assets are read again. The change log names those assets.

type Days = ReadonlyMap<string, Columns>;
/** The log told everything before this transaction when the days were read. */
type Entry = { readonly position: string; readonly days: Days };

const countBytes = ({ days }: Entry) =>
  [...days.values()].reduce(
    (sum, { byName }) =>
      [...byName.values()].reduce((size, text) => size + countTextBytes(text), sum),
    1,
  );

const memory = defineKind<Entry>('days', countBytes);

type MonthRequest = {
  /** Covers everything that the columns depend on besides the rows. */
  readonly key: string;
  readonly selection: Selection & { readonly owners: readonly string[] };
  readonly month: string;
  /** The version of the month, read before. */
  readonly version: string;
};

/** Like readBucket, for a Timeline of the caller alone. */
export async function readByDay(
  ctx: Ctx,
  { key, selection, month, version }: MonthRequest,
  columns: readonly Column[],
): Promise<Columns> {
  const before = memory.find(ctx, key);
  const all = listDays(month);
  const read = (days: readonly string[]) => readDays(ctx, selection, { month, days }, columns);

  // Read before the rows: a change in between makes the days newer than the position, never older.
  const log = await readChanges(ctx, month, before?.position);
  let days: Days | undefined;
  if (before && log.isComplete) {
    const changed = listChangedDays(before.days, log);
    const after = changed.length > 0 ? await read(changed) : undefined;
    // A change in between may have moved an asset to a day that was read, from one that was not.
    if (!after || after.version === version)
      days = new Map([...before.days, ...(after?.days ?? [])]);
  }
  days ??= (await read(all)).days;
  memory.keep(ctx, key, { position: log.position, days });
  const order = selection.order === 'asc' ? all : all.toReversed();
  return joinDays(
    order
      .map((day) => requireValue(days.get(day), 'day of a month'))
      .filter(({ count }) => count > 0),
    columns,
  );
}

/** Returns the days that show changed assets, and those that are to show them. */
function listChangedDays(days: Days, { ids, days: shown }: DayChanges): string[] {
  const changed = new Set(shown);
  const isChanged = new Set(ids);
  for (const [day, { byName }] of days) {
    const shownIds = JSON.parse(`[${byName.get('id') ?? ''}]`) as string[];
    if (shownIds.some((id) => isChanged.has(id))) changed.add(day);
  }
  return [...changed];
}

const joinDays = (days: readonly Columns[], columns: readonly Column[]): Columns => ({
  count: days.reduce((sum, { count }) => sum + count, 0),
  byName: new Map(columns.map((name) => [name, days.map((day) => day.byName.get(name)).join()])),
});

/** Lists the days of a month as YYYY-MM-DD. */
function listDays(month: string): string[] {
  const [year, number] = month.split('-').map(Number) as [number, number];
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  return Array.from(
    { length: count },
    (_, day) => `${month.slice(0, 8)}${String(day + 1).padStart(2, '0')}`,
  );
}
