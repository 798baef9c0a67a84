import { getFolder } from './collect.ts';

const SIDECAR = /.\.xmp$/i;
const VIDEO = /\.(mov|mp4|m4v|avi|mts|m2ts|3gp|webm|mkv|mpe?g|insv)$/i;

type Sorted = {
  /** Files that become items, in their order. */
  readonly media: readonly File[];
  /** The XMP file beside each that has one. */
  readonly sidecars: ReadonlyMap<File, File>;
  /** XMP files beside nothing. */
  readonly orphans: readonly File[];
};

/**
 * Finds the XMP files beside photos and videos, as the server does in folders: IMG_1.jpg.xmp, as darktable writes it,
 * before IMG_1.xmp, as Lightroom does. The latter is not that of a video beside a photo of its name.
 */
export function sortSidecars(files: readonly File[]): Sorted {
  const media = files.filter(({ name }) => !SIDECAR.test(name));
  const toStem = (file: File) => toPath(file).replace(/\.[^.]*$/, '');
  const found = new Map(
    files.filter(({ name }) => SIDECAR.test(name)).map((file) => [toStem(file), file]),
  );
  const photos = new Set(media.filter(({ name }) => !VIDEO.test(name)).map(toStem));
  const sidecars = new Map<File, File>();
  for (const file of media) {
    const isBesidePhoto = VIDEO.test(file.name) && photos.has(toStem(file));
    const sidecar =
      found.get(toPath(file)) ?? (isBesidePhoto ? undefined : found.get(toStem(file)));
    if (sidecar) sidecars.set(file, sidecar);
  }
  const taken = new Set(sidecars.values());
  return { media, sidecars, orphans: [...found.values()].filter((file) => !taken.has(file)) };
}

const toPath = (file: File): string => `${getFolder(file)}/${file.name}`.toLowerCase();
