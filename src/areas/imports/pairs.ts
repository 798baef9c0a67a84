import {
  canBeLiveStill,
  canBeLiveVideo,
  getLiveStem,
  haveSameTime,
  isLivePhoto,
} from '../../media/live-photo-halves.ts';
import type { MediaMetadata } from '../../media/metadata.ts';
import { type Facts, hasOtherPrivacy, isLocked } from './facts.ts';
import { runConcurrently } from './lanes.ts';
import type { MediaFile } from './media-files.ts';

export type PairSource = {
  /** Reads the metadata of a file; undefined without any. */
  readonly read: (file: MediaFile) => Promise<MediaMetadata | undefined>;
  /** Reads the facts of an export that are the file's own. */
  readonly findFacts: (file: MediaFile) => Promise<Facts | undefined>;
};

export type Pairs = {
  /** Videos of live photos by their stills. */
  readonly videos: ReadonlyMap<MediaFile, MediaFile>;
  /** Photos of the same name whose facts are those of a video without its own. */
  readonly namesakes: ReadonlyMap<MediaFile, MediaFile>;
  /** Returns the identifier of a file, if it was read and has one. */
  readonly getIdentifier: (file: MediaFile) => string | undefined;
};

/** Undefined for a file that cannot be read. */
type Half = Pick<MediaMetadata, 'contentIdentifier' | 'durationMs'> | undefined;

/**
 * Finds the live photos of a folder: by identifier whatever the names are, and by name where neither file has one.
 * Reads each video once, and photos of other names only if the identifier of a video is not found otherwise.
 */
export async function pairFiles(files: readonly MediaFile[], source: PairSource): Promise<Pairs> {
  const clips = files.filter(({ name }) => canBeLiveVideo(name));
  if (clips.length === 0) {
    return { videos: new Map(), namesakes: new Map(), getIdentifier: () => undefined };
  }
  const stills = files.filter(({ name }) => canBeLiveStill(name));
  const stems = Map.groupBy(stills, getStem);
  const listNamesakes = (clip: MediaFile) => stems.get(getStem(clip)) ?? [];
  const getHalf = await readHalves({ clips, stills, listNamesakes }, source);
  const [videos, namesakes] = [new Map<MediaFile, MediaFile>(), new Map<MediaFile, MediaFile>()];
  const byId = Map.groupBy(stills, (still) => getHalf(still)?.contentIdentifier);
  const left: MediaFile[] = [];
  for (const clip of clips) {
    const id = getHalf(clip)?.contentIdentifier;
    const found = id === undefined ? [] : (byId.get(id) ?? []);
    const rank = (one: MediaFile) => (videos.has(one) ? 2 : 0) + (isNamesake(one, clip) ? 0 : 1);
    const [still] = found.toSorted((one, other) => rank(one) - rank(other));
    if (!still) left.push(clip);
    else {
      namesakes.set(clip, still);
      if (!videos.has(still) && (await mayShareItem(still, clip, source))) videos.set(still, clip);
    }
  }
  for (const clip of left) {
    const [photo] = listNamesakes(clip).filter((one) => !contradicts(getHalf(one), getHalf(clip)));
    if (photo) namesakes.set(clip, photo);
    for (const still of listNamesakes(clip).filter((one) => !videos.has(one))) {
      const isPair = await belongByName([still, getHalf(still)], [clip, getHalf(clip)], source);
      if (!isPair) continue;
      videos.set(still, clip);
      break;
    }
  }
  return { videos, namesakes, getIdentifier: (file) => getHalf(file)?.contentIdentifier };
}

const getStem = ({ name }: MediaFile): string => getLiveStem(name);
const isNamesake = (one: MediaFile, other: MediaFile) => getStem(one) === getStem(other);

type Candidates = {
  readonly clips: readonly MediaFile[];
  readonly stills: readonly MediaFile[];
  readonly listNamesakes: (clip: MediaFile) => readonly MediaFile[];
};

async function readHalves({ clips, stills, listNamesakes }: Candidates, { read }: PairSource) {
  const halves = new Map<MediaFile, Half>();
  const readAll = (files: readonly MediaFile[]) =>
    runConcurrently(files, async (file) => {
      const metadata = await read(file);
      // The content decides what a file is.
      const kind = canBeLiveVideo(file.name) ? 'video/' : 'image/';
      if (!metadata?.mimeType?.startsWith(kind)) return;
      const { contentIdentifier, durationMs } = metadata;
      halves.set(file, { contentIdentifier, durationMs });
    });
  const near = [...new Set(clips.flatMap(listNamesakes))];
  await readAll([...clips, ...near]);
  const found = new Set(near.map((still) => halves.get(still)?.contentIdentifier));
  const isFound = (clip: MediaFile) => {
    const id = halves.get(clip)?.contentIdentifier;
    return id === undefined || found.has(id);
  };
  if (!clips.every(isFound)) await readAll(stills.filter((still) => !halves.has(still)));
  return (file: MediaFile): Half => halves.get(file);
}

/** Whether a live photo may be made of files that belong together: not if it would hide, or show, one of them. */
async function mayShareItem(still: MediaFile, clip: MediaFile, { findFacts }: PairSource) {
  const [photo, video] = [await findFacts(still), await findFacts(clip)];
  if (!photo || !video || !hasOtherPrivacy(photo, video)) return true;
  return isLocked(photo) && !video.isTrashed;
}

const contradicts = (one: Half, other: Half): boolean =>
  one?.contentIdentifier !== undefined &&
  other?.contentIdentifier !== undefined &&
  one.contentIdentifier !== other.contentIdentifier;

/**
 * Whether files of one name are a live photo. Where only one of them has an identifier, the export must have one
 * description of both, as that of Google has, which may have made another file of the video.
 */
async function belongByName(
  [still, photoHalf]: readonly [MediaFile, Half],
  [clip, clipHalf]: readonly [MediaFile, Half],
  { findFacts }: PairSource,
): Promise<boolean> {
  if (!photoHalf || !clipHalf || contradicts(photoHalf, clipHalf)) return false;
  const isShort = isLivePhoto({}, { durationMs: clipHalf.durationMs });
  if (!isShort && !clip.isMotionPart) return false;
  const [photo, video] = [await findFacts(still), await findFacts(clip)];
  if (video?.isItem || (video && photo && differ(photo, video))) return false;
  const hasNoId = !photoHalf.contentIdentifier && !clipHalf.contentIdentifier;
  return hasNoId || (photo !== undefined && video === undefined);
}

const differ = (one: Facts, other: Facts): boolean =>
  hasOtherPrivacy(one, other) || !haveSameTime(one.takenAt, other.takenAt);
