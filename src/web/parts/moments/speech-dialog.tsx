import { useEffect, useRef } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { formatClock } from './entries.ts';
import type { Moments } from '../../data/moments/moment-data.ts';
import styles from './moments.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  speech: Moments['speech'];
  timeMs: number;
  onSeek: (timeMs: number) => void;
  onClose: () => void;
};

/** The transcript of a video; a click on a line seeks to it. */
export function SpeechDialog({ speech, timeMs, onSeek, onClose }: Props) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-current=true]')?.scrollIntoView({ block: 'center' });
  }, []);
  const spoken = findLine(speech, timeMs);
  return (
    <Dialog title={t('What is said')} onClose={onClose} isWide>
      <p className="muted">{getNote(speech)}</p>
      <ol ref={list} className={styles.speech}>
        {speech.lines.map((line) => (
          <li key={`${line.startMs} ${line.text}`}>
            <button
              aria-current={line === spoken}
              onClick={() => {
                onSeek(line.startMs);
                onClose();
              }}
            >
              <span>{formatClock(line.startMs)}</span> {line.text}
            </button>
          </li>
        ))}
      </ol>
    </Dialog>
  );
}

/** Returns the line of the transcript at a time in ms, if there is one. */
export const findLine = ({ lines }: Moments['speech'], timeMs: number) =>
  lines.findLast(({ startMs, endMs }) => startMs <= timeMs && timeMs < endMs);

function getNote({ status, isOutdated }: Moments['speech']): string {
  if (isOutdated) return t('Transcribed automatically. Another model continues from here.');
  return status === 'processing'
    ? t('Transcribed automatically. The transcription is still running.')
    : t('Transcribed automatically.');
}
