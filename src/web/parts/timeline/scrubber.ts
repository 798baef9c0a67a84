import { formatMonth } from '../../base/format.ts';
import { findBand, findSectionIndex, type Plan } from '../../data/timeline/sections.ts';

export type Mark = { y: number; year: string; isYear: boolean };

/** Pixels that a year's number needs for itself, and a month's dot. */
const YEAR_ROOM = 22;
const DOT_ROOM = 9;

/**
 * Labels and dots along the track. A year gets its number where its newest month begins, unless
 * another number is too near; months in between get dots where there is room.
 */
export function listMarks(plan: Plan, trackHeight: number): Mark[] {
  const marks: Mark[] = [];
  let lastYear = '';
  let [yearEdge, dotEdge] = [-Infinity, -Infinity];
  for (const { month, top } of plan.sections) {
    const y = toTrackY(plan, trackHeight, top);
    const year = month.key.slice(0, 4);
    if (year !== lastYear && y >= yearEdge && y <= trackHeight - YEAR_ROOM / 2) {
      marks.push({ y, year, isYear: true });
      [yearEdge, dotEdge] = [y + YEAR_ROOM, y + YEAR_ROOM];
      lastYear = year;
    } else if (y >= dotEdge && y <= trackHeight - DOT_ROOM) {
      marks.push({ y, year, isYear: false });
      dotEdge = y + DOT_ROOM;
      yearEdge = Math.max(yearEdge, y + DOT_ROOM);
    }
  }
  return marks;
}

export const toTrackY = (plan: Plan, trackHeight: number, scrollTop: number): number =>
  plan.height > 0 ? (scrollTop / plan.height) * trackHeight : 0;

export const toScrollTop = (plan: Plan, trackHeight: number, y: number): number =>
  trackHeight > 0 ? (Math.min(trackHeight, Math.max(0, y)) / trackHeight) * plan.height : 0;

/** 'July 2024' for what is seen at a height of the timeline. */
export function getLabel(plan: Plan, scrollTop: number): string {
  const section = plan.sections[findBand(plan, scrollTop)];
  return section ? formatMonth(section.month.key) : '';
}

/** The top of the month that lies `by` months further down; several that stand beside each other are as one. */
export function getMonthTop(plan: Plan, scrollTop: number, by: number): number {
  const last = findSectionIndex(plan, scrollTop + 1);
  const now = by < 0 ? findBand(plan, scrollTop + 1) : last;
  const next = Math.min(plan.sections.length - 1, Math.max(0, now + by));
  return plan.sections[next]?.top ?? 0;
}
