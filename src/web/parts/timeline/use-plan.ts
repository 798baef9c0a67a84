import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { useStore } from '../../base/store.ts';
import { grouping } from './grouping.ts';
import { findRowsBetween, chooseShape } from '../../data/timeline/layout.ts';
import type { Filter } from '../../data/timeline/queries.ts';
import type { Scroller } from '../grid/scroller.ts';
import {
  findAnchor,
  findBand,
  type Month,
  planSections,
  type Plan,
  rememberRows,
  getScrollTop,
  findSectionIndex,
} from '../../data/timeline/sections.ts';
import type { Timeline } from '../../data/timeline/timeline-data.ts';

/** Months laid out for the width at hand. What one looks at stays put when the layout changes. */
export function usePlan(
  months: readonly Month[],
  scroller: Scroller,
  by?: Filter['orderBy'],
): Plan {
  const now = useStore(grouping);
  const width = useStore(scroller.width);
  const total = useMemo(() => months.reduce((sum, month) => sum + month.count, 0), [months]);
  // Rounded up, so that one photo more does not change the height of every row.
  const { rowHeight, gap } = chooseShape(width || 1000, Math.ceil(total / 10_000) * 10_000, now);
  const shape = useMemo(() => ({ rowHeight, gap }), [rowHeight, gap]);
  const layOut = useMemo(() => rememberRows(width, shape, now, by), [width, shape, now, by]);
  const plan = useMemo(
    () => planSections(width > 0 ? months : [], width, shape, layOut, now),
    [months, width, shape, layOut, now],
  );

  useEffect(() => scroller.setRowHeight(rowHeight), [scroller, rowHeight]);
  const shown = useRef(plan);
  useLayoutEffect(() => {
    const before = shown.current;
    shown.current = plan;
    if (before === plan || before.sections.length === 0) return;
    const anchor = findAnchor(before, scroller.top());
    const top = anchor && getScrollTop(plan, anchor);
    if (top !== undefined && Math.abs(top - scroller.top()) >= 1) scroller.scrollTo(top);
  }, [plan, scroller]);
  return plan;
}

const SETTLE_MS = 70;

/** Indexes of the months to draw; loads those near the window once scrolling is slow enough to see. */
export function useMonthsInView(
  plan: Plan,
  scroller: Scroller,
  timeline: Timeline,
): [number, number] {
  const range = useStore(scroller.view, ({ from, to }) => {
    if (plan.sections.length === 0) return '0:-1';
    return `${findBand(plan, from)}:${findSectionIndex(plan, to)}`;
  });
  const isFast = useStore(scroller.speed, (speed) => speed === 'fast');
  const [first, last] = range.split(':').map(Number) as [number, number];

  useEffect(() => {
    if (isFast || last < first) return;
    const keys = plan.sections.slice(first, last + 1).map(({ month }) => month.key);
    const timer = setTimeout(() => timeline.observeMonths(keys), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [first, last, isFast, plan, timeline]);
  return [first, isFast ? last : findLastToDraw(plan, first, last)];
}

/**
 * A month that is not loaded has a height that is only estimated: what is below it is drawn when the
 * height is known, or it would move before the viewer's eyes.
 */
function findLastToDraw(plan: Plan, first: number, last: number): number {
  for (let section = first; section < last; section++) {
    if (!plan.sections[section]?.rows) return section;
  }
  return last;
}

/** The picture at the upper left of the window: where keys start from. */
export function firstInView(plan: Plan, scroller: Scroller): { section: number; item: number } {
  const top = Math.max(0, scroller.top());
  const section = findBand(plan, top);
  const at = plan.sections[section];
  if (!at?.rows) return { section, item: 0 };
  const [row] = findRowsBetween(at.rows, top - at.top, top - at.top + scroller.height());
  return { section, item: at.rows.first[row] ?? 0 };
}
