import { useQuery } from '@tanstack/react-query';
import { formatAgo } from '../../base/format.ts';
import { attempt } from '../../ui/toast.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { type Correction, undoCorrection } from '../../data/people/people-data.ts';
import { correctionsQuery } from '../../data/people/queries.ts';
import styles from '../../parts/people/people.module.css';
import { t } from '../../base/i18n.ts';

type Props = { personId: string; onClose: () => void };

const REASONS: Readonly<Record<string, string>> = {
  'face-gone': t('the face is gone'),
  'original-changed': t('the photo was changed since'),
  'box-changed': t('the face was moved since'),
  'person-changed': t('there is a later decision'),
  'person-gone': t('the person is gone'),
  'already-undone': t('undone'),
};

/** The decisions about a person's faces, each with an undo button where it can be undone. */
export function HistoryDialog({ personId, onClose }: Props) {
  const { data, error } = useQuery(correctionsQuery(personId));
  return (
    <Dialog title={t('History')} onClose={onClose} isWide>
      {error && <p role="alert">{error.message}</p>}
      {data?.items.length === 0 && <p className="muted">{t('Nothing yet.')}</p>}
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
                aria-label={t('Undo: {decision}', { decision: describe(one, personId) })}
                onClick={() => void attempt(() => undoCorrection(one.id), t('Undone'))}
              >
                {t('Undo')}
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
  const faces = t('{affectedFaceCount, plural, one {# face} other {# faces}}', {
    affectedFaceCount,
  });
  if (kind === 'merge') {
    return t('Merged with {count, plural, one {# other} other {# others}}: {faces}', {
      count: mergedPersonIds.length,
      faces,
    });
  }
  if (kind === 'moved-onto') {
    return personId === here
      ? t('A face was given to this person')
      : t('A face was given to another');
  }
  if (kind === 'moved-off') return t('A face was removed');
  return kind === 'not-a-face' ? t('A face was hidden') : t('The box of a face was moved');
}
