import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { whenIdle } from '../lazy.tsx';
import { useStore } from '../store.ts';
import { Viewer } from '../viewer/lazy-viewer.tsx';
import { createScroller } from './scroller.ts';
import { ScrubberView } from './scrubber-view.tsx';
import { SectionView } from './section-view.tsx';
import { findPlace } from './sections.ts';
import type { Rights } from './selection-actions.tsx';
import { SelectionBar } from './selection-bar.tsx';
import type { Timeline } from './timeline-data.ts';
import { Failure } from '../ui/parts.tsx';
import { useKeys } from './use-keys.ts';
import { useMonthsInView, usePlan } from './use-plan.ts';
import { useSelection } from './use-selection.ts';
import styles from './timeline.module.css';

type Props = {
  timeline: Timeline;
  title: string;
  /** Path of this page; a photo's own path is below it. */
  base: string;
  photoId: string | undefined;
  /** Shown when there are no photos at all. */
  empty: ReactNode;
  /** Stands above the photos and scrolls away with them. */
  head?: ReactNode;
  /** The rights of a guest; others have all. */
  may?: Rights;
};

const ALL: Rights = { download: true, info: true };

/** Where each timeline was left, for the way back. */
const lastScrollTops = new WeakMap<Timeline, number>();

export function TimelineView(props: Props) {
  const { timeline, title, base, photoId, empty, head, may = ALL } = props;
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

  const plan = usePlan(months, scroller);
  const [first, last] = useMonthsInView(plan, scroller, timeline);
  useScrollRestoration(timeline, scroller, plan.height);

  const prefix = base === '/photos' ? '/photos' : `${base}/photos`;
  const toHref = useCallback((id: string) => `${prefix}/${id}`, [prefix]);
  const open = useCallback((id: string) => navigate(toHref(id)), [navigate, toHref]);
  const { selection, handlers, clear, toggleOne } = useSelection(plan, timeline, (id) => {
    setCurrent(id);
    open(id);
  });
  const { focusOn } = useKeys({
    plan,
    scroller,
    timeline,
    current,
    setCurrent,
    onOpen: open,
    onToggle: toggleOne,
    onEscape: clear,
    isOff: photoId !== undefined,
  });

  const isEmpty = status === 'ready' && months.length === 0;
  const tabStop =
    current !== undefined && findPlace(plan, current) ? current : findFirstLoaded(plan);
  const { ids } = selection;
  return (
    <div className={ids.size > 0 ? 'timeline choosing' : 'timeline'}>
      <h1 className="hidden-title">{title}</h1>
      <div ref={scrolled} className="timeline-scroll" tabIndex={-1}>
        {head}
        {status === 'failed' && (
          <Failure text={error ?? ''} onRetry={() => void timeline.refresh()} />
        )}
        {isEmpty && empty}
        <div
          ref={body}
          data-part="timeline-body"
          className={styles.timelineBody}
          style={{ height: plan.height }}
          {...handlers}
        >
          {plan.sections.slice(first, last + 1).map((section) => (
            <SectionView
              key={section.month.key}
              section={section}
              scroller={scroller}
              chosen={ids}
              tabStop={tabStop}
              toHref={toHref}
            />
          ))}
        </div>
      </div>
      {plan.sections.length > 0 && <ScrubberView plan={plan} scroller={scroller} />}
      <SelectionBar ids={ids} plan={plan} timeline={timeline} may={may} onDone={clear} />
      {photoId !== undefined && (
        <Viewer
          id={photoId}
          timeline={timeline}
          may={may}
          onMove={(id) => navigate(toHref(id), { replace: true })}
          onClose={(id) => {
            navigate(base, { replace: true });
            requestAnimationFrame(() => focusOn(id));
          }}
        />
      )}
    </div>
  );
}

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
