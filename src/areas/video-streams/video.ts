import { LRUCache } from 'lru-cache';
import type { Deps } from '../../core/context.ts';
import { perDatabase } from '../../db/per-database.ts';
import { loadVideoIndex } from '../../media/frame-times.ts';
import { probeWithCodecs, type StreamCodec } from '../../media/codec-names.ts';
import type { MediaProbe } from '../../media/probe.ts';
import { getIndexPath } from '../studio/index.ts';
import { type CutVideo, cutSegments, listSegments, type Segment } from './segments.ts';

/** The facts of a file that streaming needs. */
export type VideoSource = {
  readonly path: string;
  readonly probe: MediaProbe;
  /** The codecs of its streams by their index. */
  readonly codecs: ReadonlyMap<number, StreamCodec>;
  /** Whether the file tells the time of each frame: otherwise no seek is exact. */
  readonly isTimed: boolean;
  /** Where it is encoded. */
  readonly segments: readonly Segment[];
  /** Where its pictures can be passed through. */
  readonly cut: CutVideo | undefined;
};

/** A film of three hours has 5,400 segments. */
const MAX_VIDEOS = 50;

const getVideos = perDatabase(
  () => new LRUCache<string, Promise<VideoSource>>({ max: MAX_VIDEOS }),
);

/** Returns what is known of a file, which never changes. Throws MediaError. */
export function loadVideo(
  { sql, paths }: Pick<Deps, 'sql' | 'paths'>,
  file: { readonly path: string; readonly sha256: string },
): Promise<VideoSource> {
  const videos = getVideos(sql);
  let video = videos.get(file.sha256);
  if (!video) {
    video = readVideo(file.path, getIndexPath(paths, file));
    videos.set(file.sha256, video);
    video.catch(() => videos.delete(file.sha256));
  }
  return video;
}

async function readVideo(path: string, memory: string): Promise<VideoSource> {
  const probing = probeWithCodecs(path);
  const [facts, index] = await Promise.all([
    probing,
    loadVideoIndex(path, { memory, getProbe: async () => (await probing).probe }),
  ]);
  const { isTimed } = index;
  const { audio, durationMs } = facts.probe;
  const sound = audio && durationMs !== undefined ? durationMs / 1000 : undefined;
  const [segments, cut] = [listSegments(index, sound), cutSegments(index, sound)];
  return { path, ...facts, isTimed, segments, cut };
}
