import { findDays } from '../../data/timeline/days.ts';
import type { Filter } from '../../data/timeline/queries.ts';
import type { Place, Plan } from '../../data/timeline/sections.ts';

/** Returns the index of the newest that is not later, or of the oldest of all. */
function findNewest<T>(
  list: readonly T[],
  isNotLater: (one: T) => boolean,
  order: Filter['order'],
): number {
  const found = order === 'asc' ? list.findLastIndex(isNotLater) : list.findIndex(isNotLater);
  const oldest = order === 'asc' ? 0 : list.length - 1;
  return found < 0 ? oldest : found;
}

/** The month that has a day, or the newest one before it, or the oldest of all. */
export const findMonthOfDay = (plan: Plan, day: string, { order }: Filter = {}): number =>
  findNewest(plan.sections, ({ month }) => month.key.slice(0, 7) <= day.slice(0, 7), order);

/** The first picture of a day in a loaded month, or of the day before it, or of the month's last one. */
export function findPlaceOfDay(
  plan: Plan,
  section: number,
  day: string,
  { orderBy, order }: Filter = {},
): Place | undefined {
  const columns = plan.sections[section]?.month.columns;
  if (!columns || columns.id.length === 0) return undefined;
  const wanted = Date.parse(day) / 86_400_000;
  const { starts, numbers } = findDays(columns, orderBy);
  const found = findNewest([...numbers], (number) => number <= wanted, order);
  return { section, item: starts[found] ?? 0 };
}

const NO_MONTH = '1970-01-01';
/** The days that a calendar offers: from the start of the oldest month to the end of the newest. */
export function getDayRange(plan: Plan): { first: string; last: string } {
  const upper = plan.sections[0]?.month.key ?? NO_MONTH;
  const lower = plan.sections.at(-1)?.month.key ?? NO_MONTH;
  const [oldest, newest] = lower < upper ? [lower, upper] : [upper, lower];
  const [year, month] = newest.split('-').map(Number) as [number, number];
  const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  return { first: oldest, last };
}
