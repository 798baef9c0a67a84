import { useEffect, useState } from 'react';

/** Not the moving part of a live photo, which has a button of its own. */
const VIDEO = '.yarl__slide_current .yarl__video_container video';
const AUDIO = '.yarl__slide_current audio';

/** Returns the video of the current slide, or null. */
export const useShownVideo = (stage: HTMLElement | null): HTMLVideoElement | null =>
  useShown<HTMLVideoElement>(stage, VIDEO);

/** Returns the video or the recording of the current slide, or null. */
export const useShownMedia = (stage: HTMLElement | null): HTMLMediaElement | null =>
  useShown<HTMLMediaElement>(stage, `${VIDEO}, ${AUDIO}`);

function useShown<T extends Element>(stage: HTMLElement | null, selector: string): T | null {
  const [shown, setShown] = useState<T | null>(null);
  useEffect(() => {
    if (!stage) return;
    const look = () => setShown(stage.querySelector<T>(selector));
    look();
    const observer = new MutationObserver(look);
    // The class is what tells which slide is the current one.
    observer.observe(stage, { childList: true, subtree: true, attributeFilter: ['class'] });
    return () => observer.disconnect();
  }, [stage, selector]);
  return stage ? shown : null;
}
