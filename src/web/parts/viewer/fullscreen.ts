import { useEffect, useEffectEvent } from 'react';
import { attempt } from '../../ui/toast.tsx';

// The whole page: what lies over the viewer, such as dialogs and toasts, must be seen too.

const subscribe = (listener: () => void) => {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
};
const isFullscreen = (): boolean => document.fullscreenElement !== null;

/** Phones of Apple show only videos in full screen. */
export const canFullscreen = (): boolean => document.fullscreenEnabled === true;

/** Browsers refuse it without a press or a key just before. */
export const enterFullscreen = (): Promise<boolean> =>
  document.documentElement.requestFullscreen().then(
    () => true,
    () => false,
  );

export async function leaveFullscreen(): Promise<void> {
  if (isFullscreen()) await document.exitFullscreen().catch(() => undefined);
}

export const toggleFullscreen = (): void =>
  void attempt(() =>
    isFullscreen() ? document.exitFullscreen() : document.documentElement.requestFullscreen(),
  );

/** Calls `onLeave` when the person ends the full screen that was there. */
export function useFullscreenEnd(onLeave: () => void): void {
  const leave = useEffectEvent(onLeave);
  useEffect(() => subscribe(() => isFullscreen() || leave()), []);
}
