import { getFolder } from './collect.ts';

const STILL = /\.(heic|heif|jpe?g)$/i;
const MOVING = /\.mov$/i;
/** Three seconds have a few megabytes: more is a film that happens to have the name of a photo. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Live photos as [still, video], everything else alone; in the order of the files. */
export function pairFiles(files: readonly File[]): File[][] {
  const groups = Map.groupBy(
    files,
    (file) => `${getFolder(file)}/${file.name.replace(/\.[^.]*$/, '').toLowerCase()}`,
  );
  const videoByStill = new Map<File, File>();
  for (const group of groups.values()) {
    const still = group.find(({ name }) => STILL.test(name));
    const video = group.find(({ name }) => MOVING.test(name));
    // With a third of the name nobody knows who belongs to whom: what is in the files tells it later.
    if (group.length === 2 && still && video && video.size <= MOST_BYTES)
      videoByStill.set(still, video);
  }
  const behind = new Set(videoByStill.values());
  return files
    .filter((file) => !behind.has(file))
    .map((file) => [file, videoByStill.get(file)].filter((part) => part !== undefined));
}
