import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { whenIdle } from '../../ui/lazy.tsx';
import { useStore } from '../../base/store.ts';
import { Viewer } from '../viewer/lazy-viewer.tsx';
import { OpenPhoto } from './open-photo.tsx';
import { useReveal } from '../grid/reveal.ts';
import type { Scroller } from '../grid/scroller.ts';
import { ScrubberView } from './scrubber-view.tsx';
import { SectionView } from '../grid/section-view.tsx';
import { findPlace, type Month, type Plan } from '../../data/timeline/sections.ts';
import type { Rights } from '../grid/action-names.ts';
import { SelectionBar } from './lazy-selection-bar.tsx';
import type { Timeline } from '../../data/timeline/timeline-data.ts';
import { Failure } from '../../ui/elements.tsx';
import { useJump } from './use-jump.tsx';
import { useKeys } from './use-keys.ts';
import { useMonthsInView, usePlan } from './use-plan.ts';
import { useScroller } from '../grid/use-scroller.ts';
import { useSelection } from './use-selection.ts';
import { useZoom } from './use-zoom.ts';
import { ViewBar } from './view-bar.tsx';
import styles from '../grid/timeline.module.css';

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
  const { timeline, title, base, search = '', photoId, empty, head, tools, pick } = props;
  const { isSettled = true, may = ALL } = props;
  const { toHref, open, navigate } = usePhotoPath(base, search);
  const { months, status, error } = useStore(timeline.state);
  const { scroller, scrolled, body } = useScroller();
  const [current, setCurrent] = useState<string>();
  useEffect(() => whenIdle(Viewer.preload), []);

  const plan = usePlan(months, scroller, timeline.filter.orderBy);
  const range = useMonthsInView(plan, scroller, timeline);
  const waitsTo = useStore(scroller.view, ({ to }) => to);
  useScrollRestoration(timeline, scroller, plan.height);

  const openTile = (id: string) => {
    setCurrent(id);
    open(id);
  };
  const selecting = useSelection(plan, timeline, scroller, pick ? undefined : openTile);
  const { ids } = selecting.selection;
  const isOff = photoId !== undefined;
  useFreshStart(timeline, scroller, selecting.clear);
  const { focusOn } = useKeys({
    plan,
    scroller,
    timeline,
    current,
    setCurrent,
    selecting,
    onOpen: pick ? selecting.toggleOne : open,
    isOff,
  });
  useReveal(timeline, focusOn);
  useZoom(scroller);
  const jump = useJump(plan, scroller, timeline, focusOn);

  const isEmpty = status === 'ready' && months.length === 0;
  return (
    <div className={ids.size > 0 ? 'timeline choosing' : 'timeline'}>
      {!pick && <h1 className="hidden-title">{title}</h1>}
      <div ref={scrolled} className="timeline-scroll" tabIndex={-1}>
        {head}
        {status === 'failed' && <Failure error={error} onRetry={() => void timeline.refresh()} />}
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
          {...selecting.handlers}
        >
          <Months
            plan={plan}
            range={range}
            current={current}
            scroller={scroller}
            chosen={ids}
            toHref={toHref}
            waitsTo={waitsTo}
          />
        </div>
      </div>
      {hasSeveral(months) && (
        <ScrubberView plan={plan} scroller={scroller} onDrag={() => setCurrent(undefined)} />
      )}
      {pick ? (
        pick(ids)
      ) : (
        <SelectionBar
          ids={ids}
          plan={plan}
          timeline={timeline}
          may={may}
          onDone={selecting.clear}
          isOff={isOff}
        />
      )}
      {jump.dialog}
      {photoId !== undefined && (
        <OpenPhoto
          id={photoId}
          timeline={timeline}
          may={may}
          toHref={toHref}
          listHref={`${base}${search}`}
          navigate={navigate}
          focusOn={focusOn}
        />
      )}
    </div>
  );
}

type MonthsProps = {
  plan: Plan;
  /** Indexes of the first and last month to draw. */
  range: readonly [number, number];
  current: string | undefined;
  scroller: Scroller;
  chosen: ReadonlySet<string>;
  toHref: (id: string) => string;
  waitsTo: number;
};

function Months({ plan, range, current, scroller, chosen, toHref, waitsTo }: MonthsProps) {
  const [first, last] = range;
  const tabStop =
    current !== undefined && findPlace(plan, current) ? current : findFirstLoaded(plan);
  return plan.sections.slice(first, last + 1).map((section) => (
    <SectionView
      // Loaded, it may find a place beside the month before: then it is drawn anew, and nothing is moved.
      key={section.rows ? section.month.key : `${section.month.key} waiting`}
      section={section}
      scroller={scroller}
      chosen={chosen}
      tabStop={tabStop}
      toHref={toHref}
      waitsTo={section.rows ? undefined : waitsTo}
    />
  ));
}

/** Beside a single photo there is nothing to move through. */
const hasSeveral = (months: readonly Month[]): boolean =>
  months.length > 1 || months.some(({ count }) => count > 1);

const findFirstLoaded = (plan: Plan): string | undefined =>
  plan.sections.find((section) => section.rows)?.month.columns?.id[0];

/** The address of a photo on the page, and the way there. */
function usePhotoPath(base: string, search: string) {
  const [, navigate] = useLocation();
  const prefix = base === '/photos' ? '/photos' : `${base}/photos`;
  const toHref = useCallback((id: string) => `${prefix}/${id}${search}`, [prefix, search]);
  const open = useCallback((id: string) => navigate(toHref(id)), [navigate, toHref]);
  return { toHref, open, navigate };
}

/** Another filter: nothing is selected that is not seen. */
function useFreshStart(timeline: Timeline, scroller: Scroller, clear: () => void) {
  const shown = useRef(timeline);
  useEffect(() => {
    if (shown.current === timeline) return;
    shown.current = timeline;
    clear();
    scroller.scrollTo(0);
  });
}

/** Comes back to where the timeline was left, as soon as it is high enough. */
function useScrollRestoration(timeline: Timeline, scroller: Scroller, height: number) {
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
