import { findNearestPlace } from '../grid/hit.ts';
import { findRow } from '../../data/timeline/layout.ts';
import type { Scroller } from '../grid/scroller.ts';
import type { Place, Plan } from '../../data/timeline/sections.ts';
import type { Side } from '../../data/album-order/queries.ts';

/** Where pictures would be put down, in px from the upper left of the grid. */
export type Spot = {
  readonly side: Side;
  readonly target: string;
  readonly left: number;
  readonly top: number;
  readonly height: number;
};

/** A point in px from the upper left of the window. */
export type Point = { readonly x: number; readonly y: number };

export const getId = (plan: Plan, { section, item }: Place): string | undefined =>
  plan.sections[section]?.month.columns?.id[item];

/** Returns where these pictures would be put down at a point; undefined on one of them. */
export function findSpot(
  plan: Plan,
  scroller: Scroller,
  at: Point,
  ids: readonly string[],
): Spot | undefined {
  const body = scroller.element()?.querySelector('[data-part=timeline-body]');
  const rect = body?.getBoundingClientRect();
  const x = at.x - (rect?.left ?? 0);
  const place = findNearestPlace(plan, x, at.y - (rect?.top ?? 0));
  if (!place) return undefined;
  const section = plan.sections[place.section];
  const target = getId(plan, place);
  if (!section?.rows || target === undefined || ids.includes(target)) return undefined;
  const { rows, left: inset, top, head } = section;
  const left = inset + (rows.left[place.item] ?? 0);
  const width = rows.width[place.item] ?? 0;
  const row = findRow(rows, place.item);
  const side = x > left + width / 2 ? 'after' : 'before';
  const half = plan.shape.gap / 2;
  return {
    side,
    target,
    left: side === 'after' ? left + width + half : left - half,
    top: top + head + (rows.top[row] ?? 0),
    height: rows.height[row] ?? 0,
  };
}
