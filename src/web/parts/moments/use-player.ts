import { useCallback, useEffect, useState } from 'react';

export type Player = {
  readonly timeMs: number;
  /** Undefined until the film has told. */
  readonly durationMs: number | undefined;
  /** Undefined while there is no film to move in. */
  readonly seek: ((timeMs: number) => void) | undefined;
};

/** The film that is looked at, wherever in the lightbox it is. */
export function usePlayer(stage: HTMLElement | null): Player {
  const video = useVideo(stage);
  const [timeMs, setTime] = useState(0);
  const [durationMs, setDuration] = useState<number>();

  useEffect(() => {
    if (!video) return;
    const follow = () => setTime(Math.round(video.currentTime * 1000));
    const measure = () =>
      setDuration(Number.isFinite(video.duration) ? video.duration * 1000 : undefined);
    follow();
    measure();
    for (const name of ['timeupdate', 'seeking', 'seeked']) video.addEventListener(name, follow);
    video.addEventListener('durationchange', measure);
    return () => {
      for (const name of ['timeupdate', 'seeking', 'seeked']) {
        video.removeEventListener(name, follow);
      }
      video.removeEventListener('durationchange', measure);
    };
  }, [video]);

  const seek = useCallback(
    (to: number) => {
      if (video) whenReady(video, () => (video.currentTime = to / 1000));
    },
    [video],
  );
  return { timeMs, durationMs, seek: video ? seek : undefined };
}

function whenReady(video: HTMLVideoElement, work: () => void): void {
  if (video.readyState >= video.HAVE_METADATA) work();
  else video.addEventListener('loadedmetadata', work, { once: true });
}

/** Returns the video of the current slide, or null. */
export function useVideo(stage: HTMLElement | null): HTMLVideoElement | null {
  const [video, setVideo] = useState<HTMLVideoElement | null>(null);
  useEffect(() => {
    if (!stage) return;
    const look = () => setVideo(stage.querySelector('.yarl__slide_current video'));
    look();
    const observer = new MutationObserver(look);
    observer.observe(stage, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [stage]);
  return video;
}
