// Actions of the player on a video or a recording; times are in seconds.

/** As somebody has set it: the next one is as loud. */
let sound = { volume: 1, isMuted: false };

export function takeSound(media: HTMLMediaElement): void {
  media.volume = sound.volume;
  media.muted = sound.isMuted;
}

export function togglePlaying(media: HTMLMediaElement): void {
  if (media.paused || media.ended) void media.play().catch(() => undefined);
  else media.pause();
}

export function seekTo(media: HTMLMediaElement, time: number): void {
  const end = Number.isFinite(media.duration) ? media.duration : time;
  media.currentTime = Math.min(Math.max(0, time), end);
}

export function setVolume(media: HTMLMediaElement, volume: number): void {
  sound = { volume, isMuted: volume === 0 };
  takeSound(media);
}

/** What was turned down to nothing is heard again, too. */
export function toggleSound(media: HTMLMediaElement): void {
  const isSilent = media.muted || media.volume === 0;
  sound = { volume: media.volume === 0 ? 1 : media.volume, isMuted: !isSilent };
  takeSound(media);
}

export const canPictureInPicture = (media: HTMLMediaElement): media is HTMLVideoElement =>
  document.pictureInPictureEnabled === true && media instanceof HTMLVideoElement;

export const togglePictureInPicture = (video: HTMLVideoElement): Promise<unknown> =>
  document.pictureInPictureElement === video
    ? document.exitPictureInPicture()
    : video.requestPictureInPicture();
