import { useQuery } from '@tanstack/react-query';
import { formatAgo, formatCount } from '../format.ts';
import { attempt } from '../toast.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { type Correction, undoCorrection } from './people-data.ts';
import { correctionsQuery } from './queries.ts';
import styles from './people.module.css';

type Props = { personId: string; onClose: () => void };

const REASONS: Readonly<Record<string, string>> = {
  'face-gone': 'the face is gone',
  'original-changed': 'the photo was changed since',
  'box-changed': 'the face was moved since',
  'person-changed': 'something was decided since',
  'person-gone': 'the person is gone',
  'already-undone': 'taken back',
};

/** The decisions about a person's faces, each with an undo button where it can be undone. */
export function HistoryDialog({ personId, onClose }: Props) {
  const { data, error } = useQuery(correctionsQuery(personId));
  return (
    <Dialog title="What was decided" onClose={onClose} isWide>
      {error && <p role="alert">{error.message}</p>}
      {data?.items.length === 0 && <p className="muted">Nothing yet.</p>}
      <ul className={styles.decisions}>
        {data?.items.map((one) => (
          <li key={one.id}>
            <span>
              {describe(one, personId)}
              <small>
                {formatAgo(one.createdAt)}
                {one.undoBlockedReason && ` · ${REASONS[one.undoBlockedReason]}`}
              </small>
            </span>
            {one.canUndo && (
              <button
                className="button small"
                aria-label={`Undo: ${describe(one, personId)}`}
                onClick={() => void attempt(() => undoCorrection(one.id), 'Taken back')}
              >
                Undo
              </button>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function describe(
  { kind, personId, mergedPersonIds, affectedFaceCount }: Correction,
  here: string,
) {
  const faces = formatCount(affectedFaceCount, 'face');
  if (kind === 'merge') {
    return `Merged with ${formatCount(mergedPersonIds.length, 'other')}: ${faces}`;
  }
  if (kind === 'moved-onto') {
    return personId === here ? 'A face was given to this person' : 'A face was given to another';
  }
  if (kind === 'moved-off') return 'A face was taken away';
  return kind === 'not-a-face' ? 'A face was hidden' : 'The box of a face was moved';
}
