import { type ReactNode, useState } from 'react';
import { formatDuration } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { seekTo } from './actions.ts';
import { Slider } from './slider.tsx';
import type { VideoState } from './use-video.ts';

/** A place on the line, such as a moment of the video; its time in seconds. */
export type Mark = { readonly key: string; readonly time: number; readonly isStrong: boolean };

type Props = {
  media: HTMLMediaElement;
  state: VideoState;
  marks: readonly Mark[];
  /** A picture of the video at a time, in seconds. */
  renderFrame: ((time: number) => ReactNode) | undefined;
};

const STEP_S = 5;
/** Half the width of a preview in px, which keeps it on the screen. */
const HALF = 92;

/** As a clock has it: a second is shown once it has begun. */
const toClock = (seconds: number): string => formatDuration(Math.floor(seconds) * 1000);

/** The whole video from left to right between its two times; shows what is below the pointer, and goes there. */
export function SeekBar({ media, state, marks, renderFrame }: Props) {
  const [dragged, drag] = useState<number>();
  const [hovered, hover] = useState<number>();
  const length = state.duration ?? 0;
  const position = Math.min(dragged ?? state.position, length);
  const seek = (time: number, isDone: boolean) => {
    drag(isDone ? undefined : time);
    // Each picture on the way is shown before the next one is asked for.
    if (isDone || !media.seeking) seekTo(media, time);
  };
  const toPart = (time: number) => `${length > 0 ? Math.min(100, (time / length) * 100) : 0}%`;
  const frame = hovered === undefined ? undefined : renderFrame?.(hovered);
  return (
    <div className="player-seek">
      <span className="player-time" aria-hidden>
        {toClock(position)}
      </span>
      <Slider
        label={
          media instanceof HTMLVideoElement
            ? t('Position in the video')
            : t('Position in the recording')
        }
        text={t('{timeMs} of {length}', { timeMs: toClock(position), length: toClock(length) })}
        value={position}
        getValue={() => media.currentTime}
        max={length}
        step={STEP_S}
        loaded={state.buffered}
        onChange={seek}
        onHover={hover}
        className={state.isPlaying && dragged === undefined ? 'player-moving' : undefined}
      >
        {length > 0 &&
          marks.map(({ key, time, isStrong }) => (
            <span
              key={key}
              className={isStrong ? 'player-mark player-strong' : 'player-mark'}
              style={{ left: toPart(time) }}
            />
          ))}
        {length > 0 && hovered !== undefined && (
          <span
            data-part="time-preview"
            className={frame ? 'player-preview player-with-frame' : 'player-preview'}
            style={{ left: `clamp(${HALF}px, ${toPart(hovered)}, calc(100% - ${HALF}px))` }}
          >
            {frame}
            {toClock(hovered)}
          </span>
        )}
      </Slider>
      <span className="player-time" aria-hidden>
        {state.duration === undefined ? '–:––' : toClock(length)}
      </span>
    </div>
  );
}
