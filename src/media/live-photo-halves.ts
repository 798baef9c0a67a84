import { parse } from 'node:path';
import { toNameKey } from './formats.ts';

const STILL = /\.(?:heic|heif|jpe?g)$/i;
const VIDEO = /\.(?:mov|mp4)$/i;
const STILL_EXTENSIONS = ['heic', 'heif', 'jpg', 'jpeg'];
const VIDEO_EXTENSIONS = ['mov', 'mp4'];

/** Longer videos beside a photo of the same name are no half of a live photo. */
const MAX_LIVE_MS = 4000;

export const canBeLiveStill = (fileName: string): boolean => STILL.test(fileName);
export const canBeLiveVideo = (fileName: string): boolean => VIDEO.test(fileName);

/** icloudpd calls the video of IMG_1.HEIC so. */
const HEVC = /_hevc$/i;

/** Returns what the names of both halves have in common: IMG_1.HEIC, img_1.mov and IMG_1_HEVC.MOV. */
export const getLiveStem = (fileName: string): string =>
  toNameKey(parse(fileName).name).replace(HEVC, '');

/** Returns the usual names of the other half of a live photo; none for a file that is no half. */
export function listOtherHalfNames(fileName: string): string[] {
  const extensions = canBeLiveStill(fileName)
    ? VIDEO_EXTENSIONS
    : canBeLiveVideo(fileName)
      ? STILL_EXTENSIONS
      : [];
  const name = parse(fileName).name.replace(HEVC, '');
  const names = canBeLiveStill(fileName) ? [name, `${name}_HEVC`] : [name];
  const stems = new Set(names.flatMap((one) => [one, one.toLowerCase(), one.toUpperCase()]));
  return [...stems].flatMap((stem) =>
    extensions.flatMap((extension) => [
      `${stem}.${extension}`,
      `${stem}.${extension.toUpperCase()}`,
    ]),
  );
}

/** iCloud tells minutes. */
const SAME_TIME_MS = 60_000;

/** Returns whether an export may have dated two files as one item; where it does not date one of them, it may. */
export const haveSameTime = (
  one: Date | null | undefined,
  other: Date | null | undefined,
): boolean => !one || !other || Math.abs(one.getTime() - other.getTime()) <= SAME_TIME_MS;

type Half = { readonly contentIdentifier?: string | null | undefined };
type MovingHalf = Half & { readonly durationMs?: number | null | undefined };

/** Returns whether files whose names fit are the halves of a live photo. */
export function isLivePhoto(still: Half, video: MovingHalf): boolean {
  const [id, otherId] = [still.contentIdentifier, video.contentIdentifier];
  if (id && otherId) return id === otherId;
  return typeof video.durationMs === 'number' && video.durationMs <= MAX_LIVE_MS;
}
