import type { MonthColumns } from '../types.ts';
import {
  estimateHeight,
  justifyRows,
  findLastAtOrBefore,
  type Rows,
  findRow,
  type Shape,
} from './layout.ts';

export type Month = {
  /** The API's name of the bucket: '2024-07-01'. */
  key: string;
  count: number;
  columns: MonthColumns | undefined;
};

export type Section = {
  month: Month;
  top: number;
  height: number;
  /** Undefined until the month is loaded; its height is an estimate then. */
  rows: Rows | undefined;
};

export type Plan = {
  sections: readonly Section[];
  tops: Float64Array;
  height: number;
  shape: Shape;
};

export const HEADER = 52;
const BELOW = 20;

/** Lays out all months below each other. `layOut` remembers what was computed before. */
export function planSections(
  months: readonly Month[],
  width: number,
  shape: Shape,
  layOut: (columns: MonthColumns) => Rows = (columns) => justifyRows(columns.ratio, width, shape),
): Plan {
  const tops = new Float64Array(months.length);
  let y = 0;
  const sections = months.map((month, index): Section => {
    const rows = month.columns ? layOut(month.columns) : undefined;
    const height = HEADER + (rows?.total ?? estimateHeight(month.count, width, shape)) + BELOW;
    const top = y;
    tops[index] = top;
    y += height;
    return { month, top, height, rows };
  });
  return { sections, tops, height: y, shape };
}

/** A computation of rows that is done once per month, width and shape. */
export function rememberRows(width: number, shape: Shape): (columns: MonthColumns) => Rows {
  const known = new WeakMap<readonly number[], Rows>();
  return ({ ratio }) => {
    let rows = known.get(ratio);
    if (!rows) known.set(ratio, (rows = justifyRows(ratio, width, shape)));
    return rows;
  };
}

export const findSectionIndex = (plan: Plan, y: number): number =>
  Math.max(0, Math.min(plan.sections.length - 1, findLastAtOrBefore(plan.tops, y)));

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
  if (scrollTop < HEADER || plan.sections.length === 0) return undefined;
  const section = plan.sections[findSectionIndex(plan, scrollTop)]!;
  const inside = scrollTop - section.top;
  const { rows, month } = section;
  const part = inside / section.height;
  if (!rows || !month.columns) return { month: month.key, id: undefined, below: 0, part };
  const row = Math.max(0, findLastAtOrBefore(rows.top, inside - HEADER));
  const below = HEADER + (rows.top[row] ?? 0) - inside;
  return { month: month.key, id: month.columns.id[rows.first[row] ?? 0], below, part };
}

/** Where to scroll so that the anchor is seen where it was. Undefined: its month is gone. */
export function getScrollTop(plan: Plan, anchor: Anchor): number | undefined {
  const section = plan.sections.find(({ month }) => month.key === anchor.month);
  if (!section) return undefined;
  const { rows, month } = section;
  const item = anchor.id === undefined ? -1 : (month.columns?.id.indexOf(anchor.id) ?? -1);
  if (!rows || item < 0) return section.top + anchor.part * section.height;
  return section.top + HEADER + rows.top[findRow(rows, item)]! - anchor.below;
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
  const section = plan.sections[place.section]!;
  const { rows } = section;
  if (!rows) return { top: section.top, bottom: section.top + HEADER + plan.shape.rowHeight };
  const row = findRow(rows, place.item);
  const top = section.top + HEADER + (rows.top[row] ?? 0);
  return { top, bottom: top + (rows.height[row] ?? 0) };
}
