import { findDays } from './days.ts';
import type { Filter } from './queries.ts';
import type { Place, Plan } from './sections.ts';

/** The month that has a day, or the newest one before it, or the oldest of all. */
export function findMonthOfDay(plan: Plan, day: string): number {
  const section = plan.sections.findIndex(({ month }) => month.key.slice(0, 7) <= day.slice(0, 7));
  return section < 0 ? plan.sections.length - 1 : section;
}

/** The first picture of a day in a loaded month, or of the day before it, or of the month's last one. */
export function findPlaceOfDay(
  plan: Plan,
  section: number,
  day: string,
  by?: Filter['orderBy'],
): Place | undefined {
  const columns = plan.sections[section]?.month.columns;
  if (!columns || columns.id.length === 0) return undefined;
  const wanted = Date.parse(day) / 86_400_000;
  const { starts, numbers } = findDays(columns, by);
  const found = numbers.findIndex((number) => number <= wanted);
  return { section, item: starts[found < 0 ? numbers.length - 1 : found] ?? 0 };
}

/** The days that a calendar offers: from the start of the oldest month to the end of the newest. */
export function getDayRange(plan: Plan): { first: string; last: string } {
  const [newest, oldest] = [plan.sections[0]?.month.key, plan.sections.at(-1)?.month.key];
  const [year, month] = (newest ?? '1970-01-01').split('-').map(Number) as [number, number];
  const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  return { first: oldest ?? '1970-01-01', last };
}
