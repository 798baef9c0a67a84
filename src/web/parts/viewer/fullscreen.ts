import { useEffect, useEffectEvent } from 'react';
import { isFullscreen, subscribeFullscreen } from '../video/fullscreen.ts';

/** Browsers refuse it without a press or a key just before. */
export const enterFullscreen = (): Promise<boolean> =>
  document.documentElement.requestFullscreen().then(
    () => true,
    () => false,
  );

export async function leaveFullscreen(): Promise<void> {
  if (isFullscreen()) await document.exitFullscreen().catch(() => undefined);
}

/** Calls `onLeave` when the person ends the full screen that was there. */
export function useFullscreenEnd(onLeave: () => void): void {
  const leave = useEffectEvent(onLeave);
  useEffect(() => subscribeFullscreen(() => isFullscreen() || leave()), []);
}
