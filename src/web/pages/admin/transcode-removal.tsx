import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { LARGE_BYTES } from '../../../core/large-files.ts';
import { formatBytes } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Transcodes } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Progress } from '../../ui/elements.tsx';
import { deleteTranscodes, transcodesQuery } from '../../data/admin/storage-data.ts';

type Choice = 'large' | 'all';

/** Deletes converted videos, after it has told how many, and shows how far it is. Calls `onEnd` when it is done. */
export function TranscodeRemoval({ onEnd }: { onEnd: () => void }) {
  const { data, refetch } = useQuery(transcodesQuery());
  const [isAsking, setAsking] = useState(false);
  const [started, setStarted] = useState<{ choice: Choice; files: number }>();
  const isDeleting = data?.isDeleting ?? false;
  useOnEnd(isDeleting, onEnd);
  if (!data) return null;
  const start = (choice: Choice) =>
    attempt(async () => {
      setAsking(false);
      setStarted({ choice, files: data[choice].files });
      await deleteTranscodes(choice === 'large' ? LARGE_BYTES : undefined);
      // It may have ended already.
      const { data: now } = await refetch();
      if (!now?.isDeleting) onEnd();
    });
  if (isDeleting) {
    const left = data[started?.choice ?? 'all'].files;
    return (
      <div role="status">
        <Progress
          value={started && started.files > 0 ? 1 - left / started.files : undefined}
          label={t('Delete converted videos')}
        />
        <p className="muted">
          {t('{count, plural, one {# video is left} other {# videos are left}}', { count: left })}
        </p>
      </div>
    );
  }
  return (
    <>
      <button
        className="button small"
        disabled={data.all.files === 0}
        onClick={() => setAsking(true)}
      >
        {t('Delete converted videos …')}
      </button>
      {isAsking && (
        <Question
          sums={data}
          onClose={() => setAsking(false)}
          onConfirm={(choice) => void start(choice)}
        />
      )}
    </>
  );
}

/** Calls `onEnd` when a deletion that was seen running has ended. */
function useOnEnd(isDeleting: boolean, onEnd: () => void): void {
  const was = useRef(false);
  useEffect(() => {
    if (was.current && !isDeleting) onEnd();
    was.current = isDeleting;
  }, [isDeleting, onEnd]);
}

type QuestionProps = {
  sums: Transcodes;
  onClose: () => void;
  onConfirm: (choice: Choice) => void;
};

function Question({ sums, onClose, onConfirm }: QuestionProps) {
  const [choice, setChoice] = useState<Choice>(sums.large.files > 0 ? 'large' : 'all');
  const toOption = (name: Choice, text: string) => (
    <label className="check">
      <input
        type="radio"
        name="transcodes"
        disabled={sums[name].files === 0}
        checked={choice === name}
        onChange={() => setChoice(name)}
      />{' '}
      {text}
    </label>
  );
  const describe = ({ files, bytes }: Transcodes['all']) => ({
    count: files,
    size: formatBytes(bytes),
  });
  return (
    <Dialog title={t('Delete converted videos')} onClose={onClose}>
      <p className="muted">
        {t(
          'They are made again when somebody plays the video; until then some browsers cannot play it. Originals stay, and so do videos that are being played.',
        )}
      </p>
      {toOption(
        'large',
        t(
          'Large ones: {count, plural, one {# video} other {# videos}}, {size}',
          describe(sums.large),
        ),
      )}
      {toOption(
        'all',
        t('All: {count, plural, one {# video} other {# videos}}, {size}', describe(sums.all)),
      )}
      <div className="dialog-actions">
        <button className="button" onClick={onClose}>
          {t('Cancel')}
        </button>
        <button className="button danger" onClick={() => onConfirm(choice)}>
          {t('Delete')}
        </button>
      </div>
    </Dialog>
  );
}
