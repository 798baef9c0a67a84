import { extname, parse } from 'node:path';
import { getLiveStem } from '../../media/live-photo-halves.ts';
import type { MediaFile } from './media-files.ts';
import { findOriginalStem } from './takeout/json-names.ts';

/** A photo or video, with the video that is the other half of a live photo. */
export type Version = { readonly file: MediaFile; readonly video?: MediaFile };

/** One item of the library, or the stack of an original and its edited version. */
export type Group = { readonly original: Version; readonly edited?: Version };

/** Groups the photos and videos of a folder, in their order. `videos` has the videos of live photos. */
export function groupFiles(
  files: readonly MediaFile[],
  videos: ReadonlyMap<MediaFile, MediaFile>,
): Group[] {
  const paired = new Set(videos.values());
  const versions = files
    .filter((file) => !paired.has(file))
    .map((file): Version => {
      const video = videos.get(file);
      return video ? { file, video } : { file };
    });
  const byStem = Map.groupBy(versions, ({ file }) => getLiveStem(file.name));
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
