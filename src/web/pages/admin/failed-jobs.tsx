import { useInfiniteQuery } from '@tanstack/react-query';
import { formatInstant } from '../../base/format.ts';
import type { Queues } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/elements.tsx';
import { getJobTitle } from '../../parts/admin/job-titles.ts';
import { failedJobsQuery } from '../../data/admin/queries.ts';
import styles from '../../parts/admin/admin.module.css';
import { t } from '../../base/i18n.ts';

type Props = { queue: keyof Queues; title: string; onClose: () => void };

/** The failed jobs of a queue with their reasons. */
export function FailedJobsDialog({ queue, title, onClose }: Props) {
  const list = useInfiniteQuery(failedJobsQuery(queue));
  const { data, error, hasNextPage, isFetching } = list;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Dialog title={t('Failed jobs of {title}', { title })} onClose={onClose} isWide>
      {error && !data && <Failure error={error} onRetry={() => void list.refetch()} />}
      {data && items.length === 0 && <p className="muted">{t('Nothing has failed.')}</p>}
      <ol className={styles.runItems} aria-label={t('Failed jobs')}>
        {items.map(({ id, name, label, assetId, attempts, failedAt, error: reason }) => (
          <li key={id}>
            <span>{label ?? assetId ?? getJobTitle(name, queue)}</span>
            <small>
              {[
                getJobTitle(name, queue),
                t('{attempts, plural, one {# attempt} other {# attempts}}', { attempts }),
                failedAt && formatInstant(failedAt),
              ]
                .filter(Boolean)
                .join(' · ')}
            </small>
            <small className={styles.runError}>{reason ?? t('The reason is not known.')}</small>
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <button
          className="button small"
          disabled={isFetching}
          onClick={() => void list.fetchNextPage()}
        >
          {t('Show more')}
        </button>
      )}
    </Dialog>
  );
}
