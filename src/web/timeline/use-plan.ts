import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { useStore } from '../store.ts';
import { findRowsBetween, chooseShape } from './layout.ts';
import type { Scroller } from './scroller.ts';
import {
  findAnchor,
  type Month,
  planSections,
  type Plan,
  rememberRows,
  getScrollTop,
  findSectionIndex,
} from './sections.ts';
import type { Timeline } from './timeline-data.ts';

/** Months laid out for the width at hand. What one looks at stays put when the layout changes. */
export function usePlan(months: readonly Month[], scroller: Scroller): Plan {
  const width = useStore(scroller.width);
  const total = useMemo(() => months.reduce((sum, month) => sum + month.count, 0), [months]);
  // Rounded up, so that one photo more does not change the height of every row.
  const { rowHeight, gap } = chooseShape(width || 1000, Math.ceil(total / 10_000) * 10_000);
  const shape = useMemo(() => ({ rowHeight, gap }), [rowHeight, gap]);
  const layOut = useMemo(() => rememberRows(width, shape), [width, shape]);
  const plan = useMemo(
    () => planSections(width > 0 ? months : [], width, shape, layOut),
    [months, width, shape, layOut],
  );

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

/** Indexes of the months near the window, and loads them once scrolling is slow enough to see. */
export function useMonthsInView(
  plan: Plan,
  scroller: Scroller,
  timeline: Timeline,
): [number, number] {
  const range = useStore(scroller.view, ({ from, to }) => {
    if (plan.sections.length === 0) return '0:-1';
    return `${findSectionIndex(plan, from)}:${findSectionIndex(plan, to)}`;
  });
  const isFast = useStore(scroller.isFast);
  const [first, last] = range.split(':').map(Number) as [number, number];

  useEffect(() => {
    if (isFast || last < first) return;
    const keys = plan.sections.slice(first, last + 1).map(({ month }) => month.key);
    const timer = setTimeout(() => timeline.observeMonths(keys), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [first, last, isFast, plan, timeline]);
  return [first, last];
}

/** The picture at the upper left of the window: where keys start from. */
export function firstInView(plan: Plan, scroller: Scroller): { section: number; item: number } {
  const top = Math.max(0, scroller.top());
  const section = findSectionIndex(plan, top);
  const at = plan.sections[section];
  if (!at?.rows) return { section, item: 0 };
  const [row] = findRowsBetween(at.rows, top - at.top, top - at.top + scroller.height());
  return { section, item: at.rows.first[row] ?? 0 };
}
