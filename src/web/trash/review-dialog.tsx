import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { ApiError, getMessage } from '../api.ts';
import { formatBytes, formatCount } from '../format.ts';
import { showToast } from '../toast.tsx';
import type { TrashReview } from '../types.ts';
import { Dialog } from '../ui/dialog.tsx';
import { trashReviewQuery } from './queries.ts';
import { applyReview, type Reviewed } from './trash-actions.ts';
import styles from './trash.module.css';

const WORDS = {
  delete: { title: 'Delete for good?', action: 'Delete for good', done: 'deleted' },
  empty: { title: 'Empty the trash?', action: 'Empty the trash', done: 'deleted' },
  'restore-all': { title: 'Restore everything?', action: 'Restore', done: 'restored' },
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
      showToast(`${formatCount(count, 'item')} ${words.done}`, 'success');
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
      {!data && !error && <p className="muted">Counting …</p>}
      {problem && (
        <p className={styles.noteWarning} role="alert">
          <TriangleAlert size={18} aria-hidden /> {problem}
        </p>
      )}
      {data && <Facts review={data} isFinal={isFinal} />}
      <div className="dialog-actions">
        <button className="button" onClick={() => onClose(false)}>
          Cancel
        </button>
        <button
          className={isFinal ? 'button danger' : 'button primary'}
          disabled={!data || isBusy || data.count === 0}
          onClick={() => data && void agree(data)}
        >
          {isBusy ? 'One moment …' : words.action}
        </button>
      </div>
    </Dialog>
  );
}

const CHANGED = 'The trash has changed meanwhile. Nothing was done; these are the new numbers.';

function Facts({ review: seen, isFinal }: { review: TrashReview; isFinal: boolean }) {
  const { count, sizeInBytes, sharedOriginals } = seen;
  return (
    <>
      <dl className="counts two">
        <div className="count">
          <dt>Items</dt>
          <dd>{count.toLocaleString()}</dd>
        </div>
        <div className="count">
          <dt>Size</dt>
          <dd>{formatBytes(sizeInBytes)}</dd>
        </div>
      </dl>
      {isFinal && (
        <p className="muted">
          {sharedOriginals > 0
            ? `${formatCount(sharedOriginals, 'file')} of these ${sharedOriginals === 1 ? 'is' : 'are'} used elsewhere too and ${sharedOriginals === 1 ? 'stays' : 'stay'} there. `
            : ''}
          This cannot be undone.
        </p>
      )}
      {!isFinal && <p className="muted">Each goes back to where it was.</p>}
    </>
  );
}
