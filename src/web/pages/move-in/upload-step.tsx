import { formatBytes } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import {
  type ArchiveUpload,
  archiveUpload,
  findFile,
  listMissing,
  pauseArchives,
  uploadArchives,
} from '../../data/move-in/archive-upload.ts';
import { startMoveIn } from '../../data/move-in/move-in-data.ts';
import type { MoveIn } from '../../data/types.ts';
import { Progress } from '../../ui/elements.tsx';
import { attempt, showToast } from '../../ui/toast.tsx';
import styles from './archives.module.css';
import { CancelMove } from './cancel-move.tsx';
import { PickArchives } from './pick-archives.tsx';

/** The upload of ZIP files. A browser opens them after a reload only when a person chooses them again. */
export function UploadStep({ moveIn }: { moveIn: MoveIn }) {
  const upload = useStore(archiveUpload);
  const own = upload?.moveInId === moveIn.id ? upload : undefined;
  const parts = (moveIn.archives?.parts ?? []).map((part, at) => ({
    ...part,
    sent: Math.max(part.received, own?.sent[at] ?? 0),
  }));
  const isComplete = parts.every(({ received, size }) => received === size);
  const missing = own?.isRunning || isComplete ? [] : listMissing(moveIn);
  return (
    <>
      <div role="status">
        <h2>{describeUpload(own, isComplete)}</h2>
      </div>
      {own?.error && <p role="alert">{own.error}</p>}
      <ul className={styles.files} aria-label={t('Files')}>
        {parts.map(({ name, size, sent }) => (
          <li key={`${name} ${size}`}>
            <span>{name}</span>
            <small>
              {t('{done} of {total}', { done: formatBytes(sent), total: formatBytes(size) })}
            </small>
            <Progress value={sent / size} label={t('Upload of {name}', { name })} />
          </li>
        ))}
      </ul>
      {missing.length > 0 && (
        <>
          <p>
            {t(
              'Choose the same files again to continue. What is on the server already is not sent again, and is kept for seven days.',
            )}
          </p>
          <PickArchives
            label={t('Choose the files')}
            onPick={(files) => {
              const known = files.filter((file) => parts.some((part) => findFile(part, [file])));
              if (known.length === 0) showToast(t('None of these files belongs to this move.'));
              else void uploadArchives(moveIn, known);
            }}
          />
        </>
      )}
      <div className="dialog-actions">
        <CancelMove moveIn={moveIn} />
        <Control
          isRunning={own?.isRunning ?? false}
          isComplete={isComplete}
          isReady={missing.length === 0}
          moveIn={moveIn}
        />
      </div>
    </>
  );
}

type ControlProps = { isRunning: boolean; isComplete: boolean; isReady: boolean; moveIn: MoveIn };

function Control({ isRunning, isComplete, isReady, moveIn }: ControlProps) {
  if (isRunning)
    return (
      <button className="button" onClick={pauseArchives}>
        {t('Pause')}
      </button>
    );
  if (!isReady) return null;
  const go = () => (isComplete ? startMoveIn(moveIn) : uploadArchives(moveIn));
  return (
    <button className="button primary" onClick={() => void attempt(go)}>
      {t('Continue')}
    </button>
  );
}

function describeUpload(
  upload: Pick<ArchiveUpload, 'isRunning' | 'lastFault'> | undefined,
  isComplete: boolean,
): string {
  if (isComplete) return t('The files are uploaded');
  if (!upload?.isRunning) return t('The upload is paused');
  const { lastFault: error } = upload;
  return error === undefined ? t('Uploading …') : t('{error} Trying again …', { error });
}
