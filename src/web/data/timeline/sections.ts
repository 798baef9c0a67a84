import { requireValue } from '../../../core/required.ts';
import type { MonthColumns } from '../types.ts';
import { type Days, findDays } from './days.ts';
import { justifyRows } from './fill-rows.ts';
import { groupRows } from './group-rows.ts';
import {
  estimateHeight,
  estimateWidth,
  findLastAtOrBefore,
  findRow,
  getPlacement,
  type Grouping,
  type Rows,
  type Shape,
} from './layout.ts';
import type { Filter } from './queries.ts';

export type Month = {
  /** The API's name of the bucket: '2024-07-01'. */
  key: string;
  count: number;
  columns: MonthColumns | undefined;
};

export type Section = {
  month: Month;
  /** Index of the first of the months that stand beside this one, from left to right. */
  band: number;
  left: number;
  top: number;
  width: number;
  height: number;
  /** Height in px of what stands above the rows. */
  head: number;
  /** Number of items of the year that begins here; only where months are grouped by year. */
  yearCount: number | undefined;
  /** Undefined until the month is loaded; its height is an estimate then. */
  rows: Rows | undefined;
  /** Each has one of the headings of the rows. */
  days: Days | undefined;
};

export type Plan = {
  sections: readonly Section[];
  tops: Float64Array;
  height: number;
  shape: Shape;
  grouping: Grouping;
};

export const HEADER = 52;
/** The name of a month below its year. */
const SMALL_HEADER = 44;
const BELOW = 20;
const SMALL_BELOW = 6;
/** Between months that stand beside each other. */
const MONTH_GAP = 32;
/** The name of a month needs so much room, with the number of its items. */
const MONTH_WIDTH = 280;
/** Above the right end are the tools of the timeline: no name of a month begins there. */
const TOOLS_WIDTH = 120;

type MonthLayout = { rows: Rows; days?: Days | undefined };
type LayOut = (columns: MonthColumns) => MonthLayout;

/**
 * Lays out all months below each other; those of less than a row share one, side by side. `layOut` remembers what
 * was computed before.
 */
export function planSections(
  months: readonly Month[],
  width: number,
  shape: Shape,
  layOut: LayOut = ({ ratio }) => ({ rows: justifyRows(ratio, width, shape) }),
  grouping: Grouping = 'month',
): Plan {
  const tops = new Float64Array(months.length);
  const years = grouping === 'year' ? countYears(months) : undefined;
  const below = years ? SMALL_BELOW : BELOW;
  let [band, bandTop, bottom, edge] = [0, 0, 0, Infinity];
  const sections = months.map((month, index): Section => {
    const { rows, days } = (month.columns && layOut(month.columns)) ?? {};
    const isNewYear = getYear(month) !== getYear(months[index - 1]);
    const yearCount = isNewYear ? years?.get(getYear(month)) : undefined;
    const room = rows
      ? computeRoom(rows, width)
      : estimateWidth(month.count, width, shape, grouping === 'day');
    const isBeside =
      yearCount === undefined && edge + Math.max(room, MONTH_WIDTH + TOOLS_WIDTH) <= width;
    if (!isBeside) [band, bandTop, edge] = [index, bottom, 0];
    const yearHead = yearCount === undefined ? 0 : HEADER;
    const head = years ? yearHead + SMALL_HEADER : HEADER;
    const content = rows?.total ?? estimateHeight(month.count, width, shape, grouping === 'day');
    const left = edge;
    const top = bandTop;
    // The name of a year stands above the first month only.
    bandTop += yearHead;
    edge += Math.max(room, MONTH_WIDTH) + MONTH_GAP;
    tops[index] = top;
    const height = head + content + below;
    bottom = Math.max(bottom, top + height);
    const wide = room < width ? Math.max(room, MONTH_WIDTH) : width;
    return { month, band, left, top, width: wide, height, head, yearCount, rows, days };
  });
  return { sections, tops, height: bottom, shape, grouping };
}

/** The width of pictures that fill no row; of others that of the timeline. */
const computeRoom = ({ top, left, width: widths, heads }: Rows, width: number): number => {
  if (top.length !== 1) return width;
  const { left: headLeft, width: headWidth } = heads.at(-1) ?? { left: 0, width: 0 };
  return Math.max(headLeft + headWidth, (left.at(-1) ?? 0) + (widths.at(-1) ?? 0));
};

export const getYear = (month: Month | undefined): string => month?.key.slice(0, -6) ?? '';

function countYears(months: readonly Month[]): Map<string, number> {
  const years = new Map<string, number>();
  for (const month of months) {
    years.set(getYear(month), (years.get(getYear(month)) ?? 0) + month.count);
  }
  return years;
}

/** A computation of rows that is done once per month, width and shape. */
export function rememberRows(
  width: number,
  shape: Shape,
  grouping: Grouping = 'month',
  by?: Filter['orderBy'],
): LayOut {
  // A change of a mark makes other columns with the same ids.
  const known = new WeakMap<readonly string[], MonthLayout>();
  const layOut = (columns: MonthColumns): MonthLayout => {
    const { ratio } = columns;
    if (grouping !== 'day') return { rows: justifyRows(ratio, width, shape) };
    const days = findDays(columns, by);
    return { rows: groupRows(ratio, days.starts, width, shape), days };
  };
  return (columns) => {
    let month = known.get(columns.id);
    if (!month) known.set(columns.id, (month = layOut(columns)));
    return month;
  };
}

export const findSectionIndex = (plan: Plan, y: number): number =>
  Math.max(0, Math.min(plan.sections.length - 1, findLastAtOrBefore(plan.tops, y)));

/** The first of the months that stand beside each other at a height. */
export const findBand = (plan: Plan, y: number): number =>
  plan.sections[findSectionIndex(plan, y)]?.band ?? 0;

/** Returns which of the months that stand beside each other lies at a distance from the left. */
export function findInBand(plan: Plan, index: number, x: number): number {
  const { sections } = plan;
  let at = sections[index]?.band ?? index;
  const { band } = sections[at] ?? {};
  for (let next = at + 1; sections[next]?.band === band; next++) {
    if (x < (sections[next]?.left ?? 0) - MONTH_GAP / 2) break;
    at = next;
  }
  return at;
}

/** The place on the screen that stays where it is when heights above it change. */
export type Anchor = {
  month: string;
  /** The picture at the top of the window … */
  id: string | undefined;
  /** … and how far its row lies below the window's top, in pixels; */
  below: number;
  /** or, in a month that is not loaded, how far down the month it is, from 0 to 1. */
  part: number;
};

/** Undefined at the very top: there, what is new should push in and be seen. */
export function findAnchor(plan: Plan, scrollTop: number): Anchor | undefined {
  const section = plan.sections[findSectionIndex(plan, scrollTop)];
  if (scrollTop < HEADER || !section) return undefined;
  const inside = scrollTop - section.top;
  const { rows, month } = section;
  const part = inside / section.height;
  if (!rows || !month.columns) return { month: month.key, id: undefined, below: 0, part };
  const row = Math.max(0, findLastAtOrBefore(rows.top, inside - section.head));
  const below = section.head + (rows.top[row] ?? 0) - inside;
  return { month: month.key, id: month.columns.id[rows.first[row] ?? 0], below, part };
}

/** Where to scroll so that the anchor is seen where it was. Undefined: its month is gone. */
export function getScrollTop(plan: Plan, anchor: Anchor): number | undefined {
  const section = plan.sections.find(({ month }) => month.key === anchor.month);
  if (!section) return undefined;
  const { rows, month } = section;
  const item = anchor.id === undefined ? -1 : (month.columns?.id.indexOf(anchor.id) ?? -1);
  if (!rows || item < 0) return section.top + anchor.part * section.height;
  return section.top + section.head + getPlacement(rows, item).top - anchor.below;
}

/** A place in the timeline: month number and item in the month. */
export type Place = { section: number; item: number };

/** The place some steps further on in time, counting over the ends of months. */
export function stepBy(plan: Plan, place: Place, by: number): Place | undefined {
  let { section, item } = { ...place, item: place.item + by };
  while (item < 0) {
    section--;
    if (section < 0) return undefined;
    item += countPhotos(plan, section);
  }
  while (item >= countPhotos(plan, section)) {
    item -= countPhotos(plan, section);
    section++;
    if (section >= plan.sections.length) return undefined;
  }
  return { section, item };
}

const countPhotos = (plan: Plan, section: number): number => {
  const month = plan.sections[section]?.month;
  return month?.columns?.id.length ?? month?.count ?? 0;
};

export function findPlace(plan: Plan, id: string): Place | undefined {
  for (const [section, { month }] of plan.sections.entries()) {
    const item = month.columns?.id.indexOf(id) ?? -1;
    if (item >= 0) return { section, item };
  }
  return undefined;
}

/** Top and bottom of a place's row, from the top of the timeline. */
export function getRowSpan(plan: Plan, place: Place): { top: number; bottom: number } {
  const section = requireValue(plan.sections[place.section], 'month of the place');
  const { rows } = section;
  if (!rows) return { top: section.top, bottom: section.top + section.head + plan.shape.rowHeight };
  const row = findRow(rows, place.item);
  const top = section.top + section.head + (rows.top[row] ?? 0);
  return { top, bottom: top + (rows.height[row] ?? 0) };
}
