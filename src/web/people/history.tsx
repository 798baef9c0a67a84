import { formatAgo, formatCount } from '../format.ts';
import { attempt } from '../toast.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { useLoad } from '../ui/use-load.ts';
import { type Correction, fetchCorrections, undoCorrection } from './people-data.ts';

type Props = { personId: string; onClose: () => void; onChange: () => Promise<void> };

const REASONS: Readonly<Record<string, string>> = {
  'face-gone': 'the face is gone',
  'original-changed': 'the photo was changed since',
  'box-changed': 'the face was moved since',
  'person-changed': 'something was decided since',
  'person-gone': 'the person is gone',
  'already-undone': 'taken back',
};

/** All that was decided about a person, with a way back where there is one. */
export function HistoryDialog({ personId, onClose, onChange }: Props) {
  const { data, error, reload } = useLoad(() => fetchCorrections(personId, 50), personId);
  const undo = async (id: string) => {
    if (await attempt(() => undoCorrection(id), 'Taken back')) {
      await Promise.all([reload(), onChange()]);
    }
  };
  return (
    <Dialog title="What was decided" onClose={onClose} isWide>
      {error && <p role="alert">{error}</p>}
      {data?.items.length === 0 && <p className="muted">Nothing yet.</p>}
      <ul className="decisions">
        {data?.items.map((one) => (
          <li key={one.id}>
            <span>
              {textOf(one, personId)}
              <small>
                {formatAgo(one.createdAt)}
                {one.undoBlockedReason && ` · ${REASONS[one.undoBlockedReason]}`}
              </small>
            </span>
            {one.canUndo && (
              <button
                className="button small"
                aria-label={`Undo: ${textOf(one, personId)}`}
                onClick={() => void undo(one.id)}
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

function textOf({ kind, personId, mergedPersonIds, affectedFaceCount }: Correction, here: string) {
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
