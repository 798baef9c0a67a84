import type { MediaFile } from './media-files.ts';
import { createOriginalFinder } from './takeout/json-names.ts';

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
  const byName = new Map(versions.map((version) => [version.file.name, version]));
  const findOriginals = createOriginalFinder([...byName.keys()]);
  const editedBy = new Map<Version, Version>();
  for (const version of versions) {
    const [name] = findOriginals(version.file.name);
    const original = name === undefined ? undefined : byName.get(name);
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
