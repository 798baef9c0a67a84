import type { Ctx } from '../../core/context.ts';
import { requireValue } from '../../core/required.ts';
import { countTextBytes, defineKind } from '../../read-cache/memory.ts';
import { type Column, type Columns, readDays } from './bucket.store.ts';
import { type DayChanges, readChanges } from './days.store.ts';
import type { Selection } from './store.ts';

// Large months of the own Timeline are remembered by day: after a change only the days of the changed
// assets are read again. The change log names those assets.

/** `bytes`: the size, which is counted once, when the day is read. */
type Day = Columns & { readonly bytes: number };
type Days = ReadonlyMap<string, Day>;
/** The log told everything before this transaction when the days were read. */
type Entry = { readonly position: string; readonly days: Days };

const countBytes = ({ days }: Entry) =>
  [...days.values()].reduce((sum, { bytes }) => sum + bytes, 1);

const toDay = (columns: Columns): Day => ({
  ...columns,
  bytes: [...columns.byName.values()].reduce((sum, text) => sum + countTextBytes(text), 0),
});

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
  const read = async (wanted: readonly string[]) => {
    const { version, days } = await readDays(ctx, selection, { month, days: wanted }, columns);
    return { version, days: new Map([...days].map(([day, found]) => [day, toDay(found)])) };
  };

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
  const hasChanged = (text: string) =>
    ids.length <= SEARCHED
      ? ids.some((id) => text.includes(id))
      : (JSON.parse(`[${text}]`) as string[]).some((id) => isChanged.has(id));
  for (const [day, { byName }] of days) {
    if (!changed.has(day) && hasChanged(byName.get('id') ?? '')) changed.add(day);
  }
  return [...changed];
}

/** So many ids are searched for in a column sooner than it is parsed. */
const SEARCHED = 5;

const joinDays = (days: readonly Columns[], columns: readonly Column[]): Columns => ({
  count: days.reduce((sum, { count }) => sum + count, 0),
  byName: new Map(
    columns.map((name) => [name, joinTexts(days.map(({ byName }) => byName.get(name) ?? ''))]),
  ),
});

/** As `join`, which copies megabytes: the engine writes them once, with the rest of the response. */
const joinTexts = ([first = '', ...texts]: readonly string[]): string =>
  texts.reduce((joined, text) => `${joined},${text}`, first);

/** Lists the days of a month as YYYY-MM-DD. */
function listDays(month: string): string[] {
  const [year, number] = month.split('-').map(Number) as [number, number];
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  return Array.from(
    { length: count },
    (_, day) => `${month.slice(0, 8)}${String(day + 1).padStart(2, '0')}`,
  );
}
