import { useCallback } from 'react';
import { useShownVideo } from '../video/shown-media.ts';
import { useVideo } from '../video/use-video.ts';

export type Player = {
  readonly timeMs: number;
  /** Undefined while there is no film to move in. */
  readonly seek: ((timeMs: number) => void) | undefined;
};

/** The film that is looked at, wherever in the lightbox it is. */
export function usePlayer(stage: HTMLElement | null): Player {
  const video = useShownVideo(stage);
  const state = useVideo(video);
  const seek = useCallback(
    (to: number) => {
      if (video) whenReady(video, () => (video.currentTime = to / 1000));
    },
    [video],
  );
  return {
    timeMs: Math.round((state?.position ?? 0) * 1000),
    seek: video ? seek : undefined,
  };
}

function whenReady(video: HTMLVideoElement, work: () => void): void {
  if (video.readyState >= video.HAVE_METADATA) work();
  else video.addEventListener('loadedmetadata', work, { once: true });
}
