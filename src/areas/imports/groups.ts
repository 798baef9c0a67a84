import type { MediaFile } from './media-files.ts';
import { createOriginalFinder } from './takeout/json-names.ts';

/** A photo or video, with the video that is the other half of a live photo. */
export type Version = { readonly file: MediaFile; readonly video?: MediaFile };

/** An original, which is stacked with its edited versions, if there are any. */
export type Group = { readonly original: Version; readonly edited: readonly Version[] };

/**
 * Groups the photos and videos of a folder, in their order. `videos` has the videos of live photos. The name tells an
 * edited version, or `findOriginal`, which finds the name of its original.
 */
export function groupFiles(
  files: readonly MediaFile[],
  videos: ReadonlyMap<MediaFile, MediaFile>,
  findOriginal: (name: string) => string | undefined,
): Group[] {
  const paired = new Set(videos.values());
  const versions = files
    .filter((file) => !paired.has(file))
    .map((file): Version => {
      const video = videos.get(file);
      return video ? { file, video } : { file };
    });
  const byName = new Map(versions.map((version) => [version.file.name, version]));
  const findByName = createOriginalFinder([...byName.keys()]);
  const originals = new Map<Version, Version>();
  for (const version of versions) {
    const { name } = version.file;
    const original = byName.get(findByName(name)[0] ?? findOriginal(name) ?? '');
    if (original && original !== version) originals.set(version, original);
  }
  const edited = Map.groupBy(originals.keys(), (version) => findFirst(originals, version));
  return versions
    .filter((version) => !originals.has(version))
    .map((original) => ({ original, edited: edited.get(original) ?? [] }));
}

/** An edited version of an edited version is one of the first. */
function findFirst(originals: ReadonlyMap<Version, Version>, version: Version): Version {
  let first = version;
  for (let next = originals.get(first); next; next = originals.get(first)) first = next;
  return first;
}
