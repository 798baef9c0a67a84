import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { ApiError, getMessage } from '../../base/api.ts';
import { formatBytes, formatNumber } from '../../base/format.ts';
import { showToast } from '../../ui/toast.tsx';
import type { TrashReview } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { trashReviewQuery } from '../../data/trash/queries.ts';
import { applyReview, type Reviewed } from '../../data/trash/trash-actions.ts';
import styles from './trash.module.css';
import { t } from '../../base/i18n.ts';

const WORDS = {
  delete: { title: t('Delete for good?'), action: t('Delete for good') },
  empty: { title: t('Empty the trash?'), action: t('Empty the trash') },
  'restore-all': { title: t('Restore everything?'), action: t('Restore') },
} as const;

type Props = { what: Reviewed; onClose: (isDone: boolean) => void };

/** Shows the items of an action; once confirmed it happens to exactly these, or not at all. */
export function ReviewDialog({ what, onClose }: Props) {
  const { data, error, refetch } = useQuery(trashReviewQuery(useId(), what));
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const words = WORDS[what.action];
  const isFinal = what.action !== 'restore-all';

  const agree = async (seen: TrashReview) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { count } = await applyReview(what, seen);
      const text = isFinal
        ? t('{count, plural, one {# item} other {# items}} deleted', { count })
        : t('{count, plural, one {# item} other {# items}} restored', { count });
      showToast(text, 'success');
      onClose(true);
    } catch (failure) {
      const isStale = failure instanceof ApiError && failure.status === 409;
      if (isStale) await refetch();
      setProblem(isStale ? CHANGED : getMessage(failure));
      setBusy(false);
    }
  };

  return (
    <Dialog title={words.title} onClose={() => onClose(false)}>
      {error && <p role="alert">{error.message}</p>}
      {!data && !error && <p className="muted">{t('Counting …')}</p>}
      {problem && (
        <p className={styles.noteWarning} role="alert">
          <TriangleAlert size={18} aria-hidden /> {problem}
        </p>
      )}
      {data && <Facts review={data} isFinal={isFinal} />}
      <div className="dialog-actions">
        <button className="button" onClick={() => onClose(false)}>
          {t('Cancel')}
        </button>
        <button
          className={isFinal ? 'button danger' : 'button primary'}
          disabled={!data || isBusy || data.count === 0}
          onClick={() => data && void agree(data)}
        >
          {isBusy ? t('One moment …') : words.action}
        </button>
      </div>
    </Dialog>
  );
}

const CHANGED = t('The trash has changed meanwhile. Nothing was done; these are the new numbers.');

function Facts({ review: seen, isFinal }: { review: TrashReview; isFinal: boolean }) {
  const { count, sizeInBytes, sharedOriginals } = seen;
  return (
    <>
      <dl className="counts two">
        <div className="count">
          <dt>{t('Items')}</dt>
          <dd>{formatNumber(count)}</dd>
        </div>
        <div className="count">
          <dt>{t('Size')}</dt>
          <dd>{formatBytes(sizeInBytes)}</dd>
        </div>
      </dl>
      {isFinal && (
        <p className="muted">
          {sharedOriginals > 0 &&
            `${t('{count, plural, one {# file of these is used elsewhere too and stays there.} other {# files of these are used elsewhere too and stay there.}}', { count: sharedOriginals })} `}
          {t('This cannot be undone.')}
        </p>
      )}
      {!isFinal && <p className="muted">{t('Each goes back to where it was.')}</p>}
    </>
  );
}
