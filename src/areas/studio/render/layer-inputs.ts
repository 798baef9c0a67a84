import { join } from 'node:path';
import type { UserSession } from '../../../access/session.ts';
import type { Deps } from '../../../core/context.ts';
import {
  findFrame,
  getSeekSeconds,
  loadVideoIndex,
  type SeekAim,
} from '../../../media/frame-times.ts';
import { readPictureHeader } from '../../../media/picture-header.ts';
import { buildDecodeArguments, SAFE_INPUT } from '../../../media/probe.ts';
import { buildStillColors } from '../../../media/still-colors.ts';
import { buildSdrFilters, toMatrixOption } from '../../../media/tonemap.ts';
import { findOriginal, type LocatedFile } from '../../assets/index.ts';
import { SourceUnavailable } from './source-unavailable.ts';
import type { Layer } from './graph.ts';
import type { ActiveClip } from './layers.ts';
import { findSourceAssets, type SourceAsset } from './sources.store.ts';

type Located = Pick<Deps, 'db' | 'paths'>;

/** A file that a clip shows. */
export type Source = SourceAsset & {
  readonly path: string;
  /** Folder of the file, if it lies outside the data folder. */
  readonly folder: string | undefined;
};

/**
 * Returns the files of assets by id. Throws SourceUnavailable if the session may not see one of them, or if
 * its file cannot be reached.
 */
export async function requireSources(
  deps: Located,
  session: UserSession,
  ids: readonly string[],
): Promise<Map<string, Source>> {
  const assets = await findSourceAssets(deps.db, session, ids);
  const found = new Map<string, Source>();
  for (const id of ids) {
    const asset = assets.get(id);
    const file = asset && (await locate(deps, asset));
    if (!file) throw new SourceUnavailable(id);
    found.set(id, { ...asset, path: file.path, folder: file.folder });
  }
  return found;
}

async function locate(
  deps: Located,
  asset: SourceAsset,
): Promise<Pick<LocatedFile, 'path' | 'folder'> | undefined> {
  if (asset.type === 'VIDEO') return findOriginal(deps, asset.sha256);
  if (asset.picture === null) return undefined;
  const path = join(deps.paths.derived, asset.picture);
  return (await Bun.file(path).exists()) ? { path, folder: undefined } : undefined;
}

export type LayerOptions = {
  readonly paths: Deps['paths'];
  readonly aim: SeekAim;
  readonly signal: AbortSignal;
};

/** Returns how a clip shows at its moment. Throws MediaError. */
export const prepareLayer = (
  active: ActiveClip,
  source: Source,
  options: LayerOptions,
): Promise<Layer> =>
  source.type === 'VIDEO' ? prepareVideo(active, source, options) : prepareStill(active, source);

/** Containers whose seeks land at some packet. */
const UNINDEXED = new Set(['mpegts', 'mpeg']);

async function prepareVideo(
  { clip, sourceTime }: ActiveClip,
  { path, sha256 }: Source,
  { paths, aim, signal }: LayerOptions,
): Promise<Layer> {
  const memory = join(paths.studio, 'indexes', sha256.slice(0, 2), `${sha256}.json`);
  const index = await loadVideoIndex(path, { memory, signal });
  const { video, format } = index;
  const frame = findFrame(index, sourceTime);
  const isIndexed = !UNINDEXED.has(format);
  const seekSeconds = getSeekSeconds(index, frame, aim === 'frame' && !isIndexed ? 'key' : aim);
  const sdr = buildSdrFilters(video.color);
  return {
    clip,
    picture: video,
    stream: String(video.index),
    input: [
      ...(seekSeconds > 0 ? ['-noaccurate_seek', '-ss', seekSeconds.toFixed(6)] : []),
      ...buildDecodeArguments(video).threads,
      ...SAFE_INPUT,
      '-i',
      `file:${path}`,
    ],
    source: [
      // It counts in halves.
      ...(video.isInterlaced
        ? ['yadif', `select='eq(pts,${2 * frame})'`]
        : [`select='eq(pts,${frame})'`]),
      'setpts=0',
      ...sdr,
    ],
    colors: sdr.length > 0 ? '' : toMatrixOption(video.color, video),
  };
}

async function prepareStill({ clip }: ActiveClip, { path }: Source): Promise<Layer> {
  const picture = await readPictureHeader(path);
  if (!picture) throw new SourceUnavailable(clip.assetId);
  const reading = ['-protocol_whitelist', 'file', '-f', 'image2', '-pattern_type', 'none'];
  return {
    clip,
    picture,
    stream: 'v',
    input: [...reading, '-i', `file:${path}`],
    source: [await buildStillColors(path, picture.format), 'setpts=0'],
    colors: '',
  };
}
