import { join, parse } from 'node:path';
import { getMediaType, isSidecar, type MediaType, toNameKey } from '../../media/formats.ts';
import { canBeLiveStill } from '../../media/live-photo-halves.ts';
import type { Folder } from './walk.ts';

export type MediaFile = {
  /** As the library has it: the name of a motion part gets an extension. */
  readonly name: string;
  readonly path: string;
  readonly type: MediaType;
  readonly sidecarPath: string | undefined;
  /** The clip of a motion photo, which may be in the photo, too. */
  readonly isMotionPart?: boolean;
};

/** PXL_1.MP beside PXL_1.MP.jpg, and PXL_1.MP~2 beside PXL_1.MP~2.jpg: Takeout writes the clip of a photo again. */
const MOTION_PART = /\.MP(?:~\d+)?(?:\(\d+\))?$/i;

/** Returns the photos and videos of a folder in all its parts, in their order. */
export function listMediaFiles(parts: readonly Folder[]): MediaFile[] {
  const stills = parts.flatMap(({ names }) => names.filter(canBeLiveStill));
  const stems = new Set(stills.map((name) => parse(name).name));
  return parts.flatMap(({ path: folder, names }) => {
    const findSidecar = createSidecarFinder(folder, names);
    return names.flatMap((name): MediaFile[] => {
      const [path, type] = [join(folder, name), getMediaType(name)];
      if (type) return [{ name, path, type, sidecarPath: findSidecar(name) }];
      if (!MOTION_PART.test(name) || !stems.has(name)) return [];
      const part = { type: 'VIDEO', sidecarPath: undefined, isMotionPart: true } as const;
      return [{ name: `${name}.mp4`, path, ...part }];
    });
  });
}

/**
 * IMG_1.jpg.xmp, as darktable writes it, before IMG_1.xmp, as Lightroom does. The latter is not that of a video beside
 * a photo of its name.
 */
export function createSidecarFinder(folder: string, names: readonly string[]) {
  const toStem = (name: string) => toNameKey(parse(name).name);
  const sidecars = new Map(names.filter(isSidecar).map((name) => [toStem(name), name]));
  const photos = new Set(names.filter((name) => getMediaType(name) === 'IMAGE').map(toStem));
  return (name: string): string | undefined => {
    const isBesidePhoto = getMediaType(name) === 'VIDEO' && photos.has(toStem(name));
    const found =
      sidecars.get(toNameKey(name)) ?? (isBesidePhoto ? undefined : sidecars.get(toStem(name)));
    return found && join(folder, found);
  };
}
