import { nearestInRow, findRow } from '../../data/timeline/layout.ts';
import { findInBand, type Place, type Plan, stepBy } from '../../data/timeline/sections.ts';

export type Move = 'left' | 'right' | 'up' | 'down' | 'first' | 'last' | 'page-up' | 'page-down';

export const MOVES: Readonly<Record<string, Move>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
  Home: 'first',
  End: 'last',
  PageUp: 'page-up',
  PageDown: 'page-down',
};

/**
 * The place that a key leads to. In a month that is not loaded it is only roughly right: the
 * caller loads that month first and asks `settle`.
 */
export function move(plan: Plan, from: Place, towards: Move, pageHeight: number): Place {
  switch (towards) {
    case 'left':
      return stepBy(plan, from, -1) ?? from;
    case 'right':
      return stepBy(plan, from, 1) ?? from;
    case 'first':
      return { section: 0, item: 0 };
    case 'last': {
      const section = plan.sections.length - 1;
      return { section, item: Math.max(0, countItems(plan, section) - 1) };
    }
    case 'up':
      return byRows(plan, from, -1);
    case 'down':
      return byRows(plan, from, 1);
    case 'page-up':
      return byRows(plan, from, -rowsPerPage(plan, pageHeight));
    case 'page-down':
      return byRows(plan, from, rowsPerPage(plan, pageHeight));
  }
}

const rowsPerPage = (plan: Plan, height: number): number =>
  Math.max(1, Math.floor(height / (plan.shape.rowHeight + plan.shape.gap)) - 1);

const countItems = (plan: Plan, section: number): number => {
  const month = plan.sections[section]?.month;
  return month?.columns?.id.length ?? month?.count ?? 0;
};

function byRows(plan: Plan, from: Place, by: number): Place {
  const section = plan.sections[from.section];
  const rows = section?.rows;
  if (!rows) return neighbour(plan, from, by, 0);
  const row = findRow(rows, from.item);
  const inside = (rows.left[from.item] ?? 0) + (rows.width[from.item] ?? 0) / 2;
  const x = section.left + inside;
  const target = row + by;
  if (target >= 0 && target < rows.top.length) {
    return { section: from.section, item: nearestInRow(rows, target, inside) };
  }
  const rest = target < 0 ? target + 1 : target - rows.top.length;
  return neighbour(plan, from, target < 0 ? -1 : 1, x, rest);
}

/** Returns the month next above or below those that stand beside this one; there may be none of that index. */
function leaveBand({ sections }: Plan, from: number, direction: 1 | -1): number {
  const band = sections[from]?.band;
  let section = from;
  while (sections[section] && sections[section]?.band === band) section += direction;
  return section;
}

/** Goes on in the months above or below until the rows are used up. */
function neighbour(plan: Plan, from: Place, way: number, x: number, rest = 0): Place {
  const direction = way < 0 ? -1 : 1;
  let section = leaveBand(plan, from.section, direction);
  let left = Math.abs(rest);
  for (; section >= 0 && section < plan.sections.length;) {
    const at = findInBand(plan, section, x);
    const { rows, left: edge = 0 } = plan.sections[at] ?? {};
    if (!rows) return { section: at, item: direction < 0 ? countItems(plan, at) - 1 : 0 };
    if (left < rows.top.length) {
      const row = direction < 0 ? rows.top.length - 1 - left : left;
      return { section: at, item: nearestInRow(rows, row, x - edge) };
    }
    left -= rows.top.length;
    section = leaveBand(plan, at, direction);
  }
  const end = Math.min(plan.sections.length - 1, Math.max(0, section));
  return { section: end, item: direction < 0 ? 0 : Math.max(0, countItems(plan, end) - 1) };
}

/** A place that surely exists, after its month was loaded. */
export const settle = (plan: Plan, place: Place): Place => ({
  section: place.section,
  item: Math.max(0, Math.min(place.item, countItems(plan, place.section) - 1)),
});
