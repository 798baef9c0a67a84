import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { formatClock, type Entry, findNearestFrame } from './entries.ts';
import { frameUrl, type Moments } from '../../data/moments/moment-data.ts';
import type { Player } from './use-player.ts';
import styles from './moments.module.css';
import { t } from '../../base/i18n.ts';

type Props = { data: Moments; entries: readonly Entry[]; player: Player };

const STEP_MS = 5000;
/** Half the width of the preview in px, which keeps it on the screen. */
const HALF = 92;

/** The whole film from left to right: shows the scene below the pointer, and goes there. */
export function TimeBar({ data, entries, player }: Props) {
  const [hoverMs, hover] = useState<number>();
  const length = player.durationMs ?? data.durationMs ?? 0;
  if (!length) return null;
  const { timeMs, seek } = player;
  const timeAt = ({ clientX, currentTarget }: PointerEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.round(Math.min(1, Math.max(0, (clientX - left) / width)) * length);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = {
      ArrowLeft: timeMs - STEP_MS,
      ArrowRight: timeMs + STEP_MS,
      Home: 0,
      End: length,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    seek?.(Math.min(length, Math.max(0, to)));
  };
  const frame = hoverMs === undefined ? undefined : findNearestFrame(data, hoverMs);
  const part = (ms: number) => `${(100 * Math.min(ms, length)) / length}%`;
  return (
    <div
      className={styles.timeBar}
      role="slider"
      tabIndex={0}
      aria-label={t('Position in the video')}
      aria-valuemin={0}
      aria-valuemax={Math.round(length)}
      aria-valuenow={timeMs}
      aria-valuetext={t('{timeMs} of {length}', {
        timeMs: formatClock(timeMs),
        length: formatClock(length),
      })}
      onKeyDown={onKeyDown}
      onPointerMove={(event) => {
        hover(timeAt(event));
        if (event.buttons & 1) seek?.(timeAt(event));
      }}
      onPointerLeave={() => hover(undefined)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        seek?.(timeAt(event));
      }}
    >
      <span className={styles.timeBarDone} style={{ width: part(timeMs) }} />
      {entries.map(({ key, timeMs: at, manual }) => (
        <span
          key={key}
          className={manual ? `${styles.tick} ${styles.byHand}` : styles.tick}
          style={{ left: part(at) }}
        />
      ))}
      {hoverMs !== undefined && (
        <span
          data-part="time-preview"
          className={styles.timePreview}
          style={{ left: `clamp(${HALF}px, ${part(hoverMs)}, calc(100% - ${HALF}px))` }}
        >
          {frame && <img src={frameUrl(frame)} alt="" />}
          {formatClock(hoverMs)}
        </span>
      )}
    </div>
  );
}
