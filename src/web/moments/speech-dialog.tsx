import { useEffect, useRef } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { clockOf } from './entries.ts';
import type { Moments } from './moment-data.ts';
import styles from './moments.module.css';

type Props = {
  speech: Moments['speech'];
  timeMs: number;
  onSeek: (timeMs: number) => void;
  onClose: () => void;
};

/** What is said in a film, line by line; a press leads to where it is said. */
export function SpeechDialog({ speech, timeMs, onSeek, onClose }: Props) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-current=true]')?.scrollIntoView({ block: 'center' });
  }, []);
  const spoken = lineAt(speech, timeMs);
  return (
    <Dialog title="What is said" onClose={onClose} isWide>
      <p className="muted">
        Written down by a machine
        {speech.status === 'processing' && ', which is still listening'}
        {speech.isOutdated && '; another model listens from now on'}.
      </p>
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
              <span>{clockOf(line.startMs)}</span> {line.text}
            </button>
          </li>
        ))}
      </ol>
    </Dialog>
  );
}

/** What is being said at a time. */
export const lineAt = ({ lines }: Moments['speech'], timeMs: number) =>
  lines.findLast(({ startMs, endMs }) => startMs <= timeMs && timeMs < endMs);
