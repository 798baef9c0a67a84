import { useQuery } from '@tanstack/react-query';
import { ArchiveRestore, SearchX, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { formatBytes } from '../../base/format.ts';
import { ResultsView } from '../../parts/results/results-view.tsx';
import { useMyId } from '../../data/session/session.ts';
import { useStore } from '../../base/store.ts';
import { getTimeline } from '../../data/timeline/timeline-data.ts';
import { TimelineView } from '../../parts/timeline/timeline-view.tsx';
import { Empty } from '../../ui/elements.tsx';
import { ReviewDialog } from '../../parts/trash/review-dialog.tsx';
import type { Reviewed } from '../../data/trash/trash-actions.ts';
import { serverConfigQuery } from '../../data/server/queries.ts';
import { TrashViewBar } from './trash-view-bar.tsx';
import { trashSummaryQuery } from '../../data/trash/queries.ts';
import { createTrashList, isByDay, type TrashView, SORTS, trashView } from './trash-list.ts';
import { t } from '../../base/i18n.ts';

export function TrashPage({ photoId }: { photoId: string | undefined }) {
  const view = useStore(trashView);
  return isByDay(view) ? (
    <TrashByDay photoId={photoId} />
  ) : (
    <SortedTrash view={view} photoId={photoId} />
  );
}

function TrashByDay({ photoId }: { photoId: string | undefined }) {
  const timeline = getTimeline({ isTrashed: true });
  return (
    <TimelineView
      timeline={timeline}
      title={t('Trash')}
      base="/trash"
      photoId={photoId}
      head={<Head />}
      empty={
        <Empty
          icon={Trash2}
          title={t('The trash is empty')}
          text={t('Deleted photos stay here for a while before they are deleted for good.')}
        />
      }
    />
  );
}

/** In another order than the days, or a part of it. */
function SortedTrash({ view, photoId }: { view: TrashView; photoId: string | undefined }) {
  const me = useMyId();
  const [, navigate] = useLocation();
  const results = useMemo(() => createTrashList(view, me), [view, me]);
  return (
    <ResultsView
      results={results}
      title={t('Trash')}
      head={<Head />}
      note={<h2>{SORTS.find(({ sort }) => sort === view.sort)?.label}</h2>}
      photoId={photoId}
      toHref={(id) => (id ? `/trash/photos/${id}` : '/trash')}
      navigate={navigate}
      empty={
        <Empty
          icon={SearchX}
          title={t('No matches in the trash')}
          text={t('Look for something else.')}
        >
          <button
            className="button"
            onClick={() => trashView.set({ ...view, type: '', query: '' })}
          >
            {t('Show everything')}
          </button>
        </Empty>
      }
    />
  );
}

function Head() {
  const { data: summary } = useQuery(trashSummaryQuery());
  const { data: config } = useQuery(serverConfigQuery());
  const [what, setWhat] = useState<Reviewed>();
  const isAny = (summary?.items ?? 0) > 0;
  return (
    <header className="view-head">
      <h2>{t('Trash')}</h2>
      {summary && (
        <p className="muted" role="status">
          {isAny
            ? `${t('{count, plural, one {# item} other {# items}}', { count: summary.items })} · ${formatBytes(summary.sizeInBytes)}`
            : t('Nothing in here')}
          {summary.removing > 0 &&
            t(' · {removing, plural, one {# item} other {# items}} being deleted', {
              removing: summary.removing,
            })}
        </p>
      )}
      {isAny && config && config.trashDays > 0 && (
        <p className="muted">
          {t('Deleted for good after {trashDays, plural, one {# day} other {# days}}.', {
            trashDays: config.trashDays,
          })}
        </p>
      )}
      {isAny && (
        <div className="view-actions">
          <button className="button" onClick={() => setWhat({ action: 'restore-all' })}>
            <ArchiveRestore size={18} aria-hidden /> {t('Restore all')}
          </button>
          <button className="button" onClick={() => setWhat({ action: 'empty' })}>
            <Trash2 size={18} aria-hidden /> {t('Empty trash')}
          </button>
        </div>
      )}
      {isAny && <TrashViewBar />}
      {what && <ReviewDialog what={what} onClose={() => setWhat(undefined)} />}
    </header>
  );
}
