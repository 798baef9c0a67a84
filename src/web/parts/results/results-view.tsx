import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { useStore } from '../../base/store.ts';
import { chooseShape } from '../../data/timeline/layout.ts';
import { OpenPhoto } from '../timeline/open-photo.tsx';
import type { Scroller } from '../grid/scroller.ts';
import {
  type Plan,
  planSections,
  rememberRows,
  type Section,
} from '../../data/timeline/sections.ts';
import { Tiles } from '../grid/section-view.tsx';
import { SelectionBar } from '../timeline/lazy-selection-bar.tsx';
import type { Filter, Timeline } from '../../data/timeline/timeline-data.ts';
import { useKeys } from '../timeline/use-keys.ts';
import { useScroller } from '../grid/use-scroller.ts';
import { useSelection } from '../timeline/use-selection.ts';
import type { MonthColumns } from '../../data/types.ts';
import { Failure } from '../../ui/elements.tsx';
import type { Move } from '../../data/album-order/queries.ts';
import { useArrange } from '../album-order/use-arrange.ts';
import type { Rights } from '../grid/action-names.ts';
import { joinColumns } from '../../data/search/results.ts';
import { formatDayHeading } from '../../base/format.ts';
import styles from './search.module.css';
import timelineStyles from '../grid/timeline.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  results: Timeline;
  title: string;
  /** Beside the heading of the pictures. */
  note: ReactNode;
  head: ReactNode;
  /** Beside the pictures, or above them on a phone. */
  aside?: ReactNode;
  empty: ReactNode;
  photoId: string | undefined;
  toHref: (id: string | undefined) => string;
  navigate: (to: string, options?: { replace?: boolean }) => void;
  /** The rights of a guest; others have all. */
  may?: Rights | undefined;
  /** Groups results by these days; undefined where they are not in the order of them. */
  daysBy?: Filter['orderBy'];
  /** Puts items beside another one; undefined where they have no order of their own. */
  onMove?: ((move: Move) => void) | undefined;
};

const ALL: Rights = { download: true, info: true };

/** Results in the grid of the timeline. The next page is loaded when its place comes near. */
export function ResultsView(props: Props) {
  const { results, title, note, head, aside, empty, photoId, toHref, navigate } = props;
  const { may = ALL, onMove, daysBy } = props;
  const { months, status, error } = useStore(results.state);
  const { scroller, scrolled, body } = useScroller();
  const [current, setCurrent] = useState<string>();

  const columns = useMemo(() => joinColumns(months), [months]);
  const plan = useOneSection(columns, scroller, daysBy);
  useNextPage(results, plan, scroller);

  const open = useCallback((id: string) => navigate(toHref(id)), [navigate, toHref]);
  const selecting = useSelection(plan, results, scroller, (id) => {
    setCurrent(id);
    open(id);
  });
  const { ids } = selecting.selection;
  const isOff = photoId !== undefined;
  const { focusOn } = useKeys({
    plan,
    scroller,
    timeline: results,
    current,
    setCurrent,
    selecting,
    onOpen: open,
    isOff,
  });
  const { handlers: arranging, status: moved } = useArrange({
    plan,
    scroller,
    selected: ids,
    current,
    focusOn,
    onPress: selecting.toggleOne,
    onMove,
    isOff,
  });
  return (
    <div
      className={`timeline ${styles.results} ${ids.size > 0 ? 'choosing' : ''} ${aside ? styles.withAside : ''}`}
    >
      <h1 className="hidden-title">{title}</h1>
      <div ref={scrolled} className="timeline-scroll" tabIndex={-1}>
        {head}
        {status === 'failed' && <Failure error={error} onRetry={() => void results.refresh()} />}
        {status === 'ready' && !columns && empty}
        <div
          ref={body}
          data-part="timeline-body"
          className={timelineStyles.timelineBody}
          style={{ height: plan.height }}
          {...selecting.handlers}
          {...arranging}
        >
          {plan.sections.map((section) => (
            <ResultsSection key={section.month.key} section={section} note={note}>
              <Tiles
                section={section}
                scroller={scroller}
                chosen={ids}
                tabStop={current ?? columns?.id[0]}
                toHref={toHref}
                formatDate={formatDayHeading}
              />
            </ResultsSection>
          ))}
        </div>
      </div>
      {onMove && (
        <p className="hidden-title" role="status">
          {moved}
        </p>
      )}
      {aside}
      <SelectionBar
        ids={ids}
        plan={plan}
        timeline={results}
        may={may}
        onDone={selecting.clear}
        isOff={isOff}
      />
      {photoId !== undefined && (
        <OpenPhoto
          id={photoId}
          timeline={results}
          may={may}
          toHref={toHref}
          listHref={toHref(undefined)}
          navigate={navigate}
          focusOn={focusOn}
        />
      )}
    </div>
  );
}

type SectionProps = { section: Section; note: ReactNode; children: ReactNode };

const ResultsSection = ({ section, note, children }: SectionProps) => (
  <section
    data-part="month"
    className={timelineStyles.month}
    style={{ inset: `${section.top}px 0 auto`, height: section.height }}
    aria-label={t('Results')}
  >
    <header className={timelineStyles.monthHead}>{note}</header>
    {children}
  </section>
);

function useOneSection(
  columns: MonthColumns | undefined,
  scroller: Scroller,
  daysBy: Filter['orderBy'],
): Plan {
  const width = useStore(scroller.width);
  const plan = useMemo(() => {
    const shape = chooseShape(width || 1000, 0);
    const all = columns && width > 0 ? [{ key: 'results', count: columns.id.length, columns }] : [];
    const layOut = rememberRows(width, shape, daysBy ? 'day' : 'month', daysBy);
    return planSections(all, width, shape, layOut);
  }, [columns, width, daysBy]);
  useEffect(() => scroller.setRowHeight(plan.shape.rowHeight), [scroller, plan]);
  return plan;
}

/** So many pixels before the end, the next page is asked for. */
const PRELOAD_PX = 1500;

function useNextPage(results: Timeline, plan: Plan, scroller: Scroller): void {
  const isNear = useStore(scroller.view, ({ to }) => to > plan.height - PRELOAD_PX);
  const next = useStore(results.state, ({ months }) => {
    const last = months.at(-1);
    return last && !last.columns ? last.key : undefined;
  });
  useEffect(() => {
    if (isNear && next) void results.loadMonth(next);
  }, [results, isNear, next]);
}
