import { extname, join, parse } from 'node:path';
import { getMediaType, isSidecar, type MediaType } from '../../media/formats.ts';
import { canBeLiveStill, canBeLiveVideo, getLiveStem } from '../../media/live-photo-halves.ts';
import { findOriginalStem } from './takeout/json-names.ts';

export type MediaFile = {
  readonly name: string;
  readonly path: string;
  readonly type: MediaType;
  readonly sidecarPath: string | undefined;
};

/** A photo or video, with the video that may be the other half of a live photo. */
export type Version = { readonly file: MediaFile; readonly video?: MediaFile };

/** One item of the library, or the stack of an original and its edited version. */
export type Group = { readonly original: Version; readonly edited?: Version };

/** Groups the photos and videos among the names of one folder, in their order. */
export function groupFiles(folder: string, names: readonly string[]): Group[] {
  const findSidecar = createSidecarFinder(folder, names);
  const files = names.flatMap((name): MediaFile[] => {
    const type = getMediaType(name);
    return type ? [{ name, path: join(folder, name), type, sidecarPath: findSidecar(name) }] : [];
  });
  const versions = pairVersions(files);
  const byStem = Map.groupBy(versions, ({ file }) => getStem(file));
  const editedBy = new Map<Version, Version>();
  for (const version of versions) {
    const original = findOriginal(version, byStem);
    if (original && !editedBy.has(original)) editedBy.set(original, version);
  }
  const stacked = new Set(editedBy.values());
  return versions
    .filter((version) => !stacked.has(version))
    .map((original) => {
      const edited = editedBy.get(original);
      return edited ? { original, edited } : { original };
    });
}

const getStem = ({ name }: MediaFile): string => getLiveStem(name);

function pairVersions(files: readonly MediaFile[]): Version[] {
  const videos = new Map(
    files.filter(({ name }) => canBeLiveVideo(name)).map((file) => [getStem(file), file]),
  );
  const halves = new Map<MediaFile, MediaFile>();
  for (const file of files) {
    const video = canBeLiveStill(file.name) ? videos.get(getStem(file)) : undefined;
    if (!video) continue;
    halves.set(file, video);
    // IMG_1.HEIC and IMG_1.JPG: the first one has it.
    videos.delete(getStem(file));
  }
  const paired = new Set(halves.values());
  return files
    .filter((file) => !paired.has(file))
    .map((file) => {
      const video = halves.get(file);
      return video ? { file, video } : { file };
    });
}

/** The original may have another format: IMG_1.HEIC and IMG_1-edited.jpg. */
function findOriginal(
  { file }: Version,
  byStem: ReadonlyMap<string, readonly Version[]>,
): Version | undefined {
  const stem = findOriginalStem(parse(file.name).name)?.toLowerCase();
  const found = (stem && byStem.get(stem)) || [];
  const alike = found.filter((original) => original.file.type === file.type);
  return alike.find((original) => extname(original.file.name) === extname(file.name)) ?? alike[0];
}

/** IMG_1.jpg.xmp, as darktable writes it, before IMG_1.xmp, as Lightroom does. */
export function createSidecarFinder(folder: string, names: readonly string[]) {
  const sidecars = new Map(
    names.filter(isSidecar).map((name) => [parse(name).name.toLowerCase(), name]),
  );
  return (name: string): string | undefined => {
    const found = sidecars.get(name.toLowerCase()) ?? sidecars.get(parse(name).name.toLowerCase());
    return found && join(folder, found);
  };
}
