import { attempt } from '../../ui/toast.tsx';

// The whole page: what lies over the video, such as its bar, dialogs and toasts, must be seen too. Phones of Apple show
// only videos in full screen, with a bar of their own.

type AppleVideo = HTMLMediaElement & {
  readonly webkitSupportsFullscreen?: boolean;
  readonly webkitDisplayingFullscreen?: boolean;
  webkitEnterFullscreen?: () => void;
};

export const canFullscreen = (): boolean => document.fullscreenEnabled === true;

export const isFullscreen = (): boolean => document.fullscreenElement !== null;

export const toggleFullscreen = (): void =>
  void attempt(() =>
    isFullscreen() ? document.exitFullscreen() : document.documentElement.requestFullscreen(),
  );

export function subscribeFullscreen(listener: () => void): () => void {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
}

export const canShowFullscreen = (video: AppleVideo): boolean =>
  canFullscreen() || video.webkitSupportsFullscreen === true;

export const hasFullscreen = (video: AppleVideo): boolean =>
  isFullscreen() || video.webkitDisplayingFullscreen === true;

export function toggleVideoFullscreen(video: AppleVideo): void {
  if (canFullscreen()) toggleFullscreen();
  else video.webkitEnterFullscreen?.();
}

export function watchFullscreen(video: HTMLMediaElement, listener: () => void): () => void {
  const forget = subscribeFullscreen(listener);
  const names = ['webkitbeginfullscreen', 'webkitendfullscreen'];
  for (const name of names) video.addEventListener(name, listener);
  return () => {
    forget();
    for (const name of names) video.removeEventListener(name, listener);
  };
}
