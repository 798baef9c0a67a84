import { findLastAtOrBefore, findRowsBetween, nearestInRow } from '../../data/timeline/layout.ts';
import {
  findBand,
  findInBand,
  findSectionIndex,
  type Place,
  type Plan,
} from '../../data/timeline/sections.ts';

/** A rectangle in px from the upper left of the timeline. */
export type Box = { left: number; top: number; right: number; bottom: number };

/** Returns the loaded picture that lies nearest to a point of the timeline. */
export function findNearestPlace(plan: Plan, x: number, y: number): Place | undefined {
  if (plan.sections.length === 0) return undefined;
  const index = findInBand(plan, findSectionIndex(plan, y), x);
  const section = plan.sections[index];
  if (!section?.rows || section.rows.top.length === 0) return undefined;
  const row = Math.max(0, findLastAtOrBefore(section.rows.top, y - section.top - section.head));
  return { section: index, item: nearestInRow(section.rows, row, x - section.left) };
}

/** Lists the loaded pictures that a rectangle touches. */
export function listIdsInBox(plan: Plan, box: Box): string[] {
  const ids: string[] = [];
  const last = findSectionIndex(plan, box.bottom);
  for (let index = findBand(plan, box.top); index <= last; index++) {
    const section = plan.sections[index];
    if (!section?.rows || !section.month.columns) continue;
    const { rows } = section;
    const inside = section.top + section.head;
    const [start, end] = findRowsBetween(rows, box.top - inside, box.bottom - inside);
    for (let item = rows.first[start] ?? 0; item < (rows.first[end] ?? 0); item++) {
      const left = section.left + (rows.left[item] ?? 0);
      const isTouched = left <= box.right && left + (rows.width[item] ?? 0) >= box.left;
      const id = section.month.columns.id[item];
      if (isTouched && id !== undefined) ids.push(id);
    }
  }
  return ids;
}
