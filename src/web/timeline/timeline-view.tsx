import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { whenIdle } from '../lazy.tsx';
import { useStore } from '../store.ts';
import { Viewer } from '../viewer/lazy-viewer.tsx';
import { useReveal } from './reveal.ts';
import { createScroller } from './scroller.ts';
import { ScrubberView } from './scrubber-view.tsx';
import { SectionView } from './section-view.tsx';
import { findPlace, type Month } from './sections.ts';
import type { Rights } from './action-names.ts';
import { SelectionBar } from './lazy-selection-bar.tsx';
import type { Timeline } from './timeline-data.ts';
import { Failure } from '../ui/parts.tsx';
import { useJump } from './use-jump.tsx';
import { useKeys } from './use-keys.ts';
import { useMonthsInView, usePlan } from './use-plan.ts';
import { useSelection } from './use-selection.ts';
import { useZoom } from './use-zoom.ts';
import { ViewBar } from './view-bar.tsx';
import styles from './timeline.module.css';

type Props = {
  timeline: Timeline;
  title: string;
  /** Path of this page; a photo's own path is below it. */
  base: string;
  /** The query of the address, with its question mark. */
  search?: string;
  photoId: string | undefined;
  /** Shown when there are no photos at all. */
  empty: ReactNode;
  /** Stands above the photos and scrolls away with them. */
  head?: ReactNode;
  /** Whether the height of the head is known; until then the photos would be moved by it. */
  isSettled?: boolean;
  /** Beside the name of the month in view. */
  tools?: ReactNode;
  /** The rights of a guest; others have all. */
  may?: Rights;
  /** Photos are only chosen, by a click: this is shown instead of the actions. */
  pick?: (ids: ReadonlySet<string>) => ReactNode;
};

const ALL: Rights = { download: true, info: true };

/** Where each timeline was left, for the way back. */
const lastScrollTops = new WeakMap<Timeline, number>();

export function TimelineView(props: Props) {
  const {
    timeline,
    title,
    base,
    search = '',
    photoId,
    empty,
    head,
    isSettled = true,
    tools,
    may = ALL,
    pick,
  } = props;
  const [, navigate] = useLocation();
  const { months, status, error } = useStore(timeline.state);
  const [scroller] = useState(createScroller);
  const [scrolled, body] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const [current, setCurrent] = useState<string>();
  useEffect(() => whenIdle(Viewer.preload), []);

  useLayoutEffect(() => {
    if (!scrolled.current || !body.current) return;
    return scroller.attach(scrolled.current, body.current);
  }, [scroller, scrolled, body]);

  const plan = usePlan(months, scroller, timeline.filter.orderBy);
  const [first, last] = useMonthsInView(plan, scroller, timeline);
  const waitsTo = useStore(scroller.view, ({ to }) => to);
  useScrollRestoration(timeline, scroller, plan.height);

  const prefix = base === '/photos' ? '/photos' : `${base}/photos`;
  const toHref = useCallback((id: string) => `${prefix}/${id}${search}`, [prefix, search]);
  const open = useCallback((id: string) => navigate(toHref(id)), [navigate, toHref]);
  const { selection, handlers, clear, toggleOne, spanFrom, selectAll } = useSelection(
    plan,
    timeline,
    scroller,
    pick
      ? undefined
      : (id) => {
          setCurrent(id);
          open(id);
        },
  );
  const isOff = photoId !== undefined;
  const shown = useRef(timeline);
  useEffect(() => {
    if (shown.current === timeline) return;
    // Another filter: nothing is selected that is not seen.
    shown.current = timeline;
    clear();
    scroller.scrollTo(0);
  });
  const { focusOn } = useKeys({
    plan,
    scroller,
    timeline,
    current,
    setCurrent,
    onOpen: pick ? toggleOne : open,
    onToggle: toggleOne,
    onSpan: spanFrom,
    onSelectAll: selectAll,
    onEscape: selection.ids.size > 0 ? clear : undefined,
    isOff,
  });
  useReveal(timeline, focusOn);
  useZoom(scroller);
  const jump = useJump(plan, scroller, timeline, focusOn);

  const isEmpty = status === 'ready' && months.length === 0;
  const tabStop =
    current !== undefined && findPlace(plan, current) ? current : findFirstLoaded(plan);
  const { ids } = selection;
  return (
    <div className={ids.size > 0 ? 'timeline choosing' : 'timeline'}>
      {!pick && <h1 className="hidden-title">{title}</h1>}
      <div ref={scrolled} className="timeline-scroll" tabIndex={-1}>
        {head}
        {status === 'failed' && (
          <Failure text={error ?? ''} onRetry={() => void timeline.refresh()} />
        )}
        {isEmpty && empty}
        {(plan.sections.length > 0 || search) && (
          <ViewBar onJump={jump.askForDay} isOff={isOff}>
            {tools}
          </ViewBar>
        )}
        <div
          ref={body}
          data-part="timeline-body"
          className={styles.timelineBody}
          style={{ height: plan.height, visibility: isSettled ? 'visible' : 'hidden' }}
          {...handlers}
        >
          {plan.sections.slice(first, last + 1).map((section) => (
            <SectionView
              // Loaded, it may find a place beside the month before: then it is drawn anew, and nothing is moved.
              key={section.rows ? section.month.key : `${section.month.key} waiting`}
              section={section}
              scroller={scroller}
              chosen={ids}
              tabStop={tabStop}
              toHref={toHref}
              waitsTo={section.rows ? undefined : waitsTo}
            />
          ))}
        </div>
      </div>
      {hasSeveral(months) && <ScrubberView plan={plan} scroller={scroller} />}
      {pick ? (
        pick(ids)
      ) : (
        <SelectionBar
          ids={ids}
          plan={plan}
          timeline={timeline}
          may={may}
          onDone={clear}
          isOff={isOff}
        />
      )}
      {jump.dialog}
      {photoId !== undefined && (
        <Viewer
          id={photoId}
          timeline={timeline}
          may={may}
          onMove={(id) => navigate(toHref(id), { replace: true })}
          onClose={(id) => {
            navigate(`${base}${search}`, { replace: true });
            requestAnimationFrame(() => focusOn(id));
          }}
        />
      )}
    </div>
  );
}

/** Beside a single photo there is nothing to move through. */
const hasSeveral = (months: readonly Month[]): boolean =>
  months.length > 1 || months.some(({ count }) => count > 1);

const findFirstLoaded = (plan: ReturnType<typeof usePlan>): string | undefined =>
  plan.sections.find((section) => section.rows)?.month.columns?.id[0];

/** Comes back to where the timeline was left, as soon as it is high enough. */
function useScrollRestoration(
  timeline: Timeline,
  scroller: ReturnType<typeof createScroller>,
  height: number,
) {
  const isDone = useRef(false);
  useLayoutEffect(() => {
    if (isDone.current || height === 0) return;
    isDone.current = true;
    const top = lastScrollTops.get(timeline);
    if (top) scroller.scrollTo(top);
  }, [timeline, scroller, height]);
  useEffect(
    () => scroller.onScroll(() => void lastScrollTops.set(timeline, scroller.top())),
    [timeline, scroller],
  );
}
