import { useEffect, useState } from 'react';
import { hasFullscreen, watchFullscreen } from './fullscreen.ts';

/** What a player shows of a video or a recording; times in seconds. */
export type VideoState = {
  readonly isPlaying: boolean;
  readonly hasEnded: boolean;
  /** It is to be played or seen, and its data has not come. */
  readonly isWaiting: boolean;
  /** There is nothing that the browser can play. */
  readonly hasFailed: boolean;
  readonly position: number;
  /** Undefined until it is known. */
  readonly duration: number | undefined;
  /** Where the data that has come ends. */
  readonly buffered: number;
  /** From 0 to 1. */
  readonly volume: number;
  readonly isMuted: boolean;
  readonly rate: number;
  readonly isFullscreen: boolean;
};

type Ranges = Pick<TimeRanges, 'length' | 'start' | 'end'>;
type Readable = Pick<
  HTMLMediaElement,
  | 'paused'
  | 'ended'
  | 'seeking'
  | 'readyState'
  | 'networkState'
  | 'error'
  | 'currentTime'
  | 'duration'
  | 'volume'
  | 'muted'
  | 'playbackRate'
> & { readonly buffered: Ranges };

// As in HTMLMediaElement, which only browsers have.
const HAVE_FUTURE_DATA = 3;
const NETWORK_NO_SOURCE = 3;

export function readVideo(video: Readable, isFullscreen: boolean): VideoState {
  const { paused, ended, seeking, readyState, error, currentTime, duration } = video;
  const hasFailed = error !== null || video.networkState === NETWORK_NO_SOURCE;
  const isWanted = (!paused && !ended) || seeking;
  return {
    isPlaying: !paused && !ended,
    hasEnded: ended,
    isWaiting: isWanted && !hasFailed && readyState < HAVE_FUTURE_DATA,
    hasFailed,
    position: currentTime,
    duration: Number.isFinite(duration) ? duration : undefined,
    buffered: findBuffered(video.buffered, currentTime),
    volume: video.volume,
    isMuted: video.muted,
    rate: video.playbackRate,
    isFullscreen,
  };
}

/** The end of the range that has this time; the time itself where there is none. */
function findBuffered(ranges: Ranges, time: number): number {
  for (let at = 0; at < ranges.length; at++) {
    if (ranges.start(at) <= time && time <= ranges.end(at)) return ranges.end(at);
  }
  return time;
}

const EVENTS =
  'play playing pause ended waiting canplay seeking seeked timeupdate progress durationchange loadstart loadeddata emptied volumechange ratechange error'.split(
    ' ',
  );

/** Follows a video or a recording. Undefined while there is none. */
export function useVideo(video: HTMLMediaElement | null): VideoState | undefined {
  const [shown, setShown] = useState<{ video: HTMLMediaElement; state: VideoState }>();
  useEffect(() => {
    if (!video) return;
    const follow = () => {
      const state = readVideo(video, hasFullscreen(video));
      setShown((old) =>
        old?.video === video && isSame(old.state, state) ? old : { video, state },
      );
    };
    // A browser that tries its last source reports the fault before it gives up.
    const followSoon = () => setTimeout(follow);
    follow();
    for (const name of EVENTS) video.addEventListener(name, follow);
    // Those of its sources do not bubble.
    video.addEventListener('error', followSoon, true);
    const forget = watchFullscreen(video, follow);
    return () => {
      for (const name of EVENTS) video.removeEventListener(name, follow);
      video.removeEventListener('error', followSoon, true);
      forget();
    };
  }, [video]);
  return shown && shown.video === video ? shown.state : undefined;
}

const isSame = (one: VideoState, other: VideoState): boolean =>
  (Object.keys(one) as (keyof VideoState)[]).every((key) => one[key] === other[key]);
