import type { Effect, JobCtx } from '../../../jobs/define.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { renderCover } from '../../../media/cover.ts';
import { broken } from '../../../media/errors.ts';
import { needsTranscode } from '../../../media/playable.ts';
import { getMediaType } from '../../../media/formats.ts';
import { type MediaProbe, probe } from '../../../media/probe.ts';
import { findTruncation } from '../../../media/truncation.ts';
import { transcodeVideo } from '../jobs.ts';
import { ensureScratchFolder } from './derived-files.ts';
import { readImageOutputs } from './image-outputs.ts';
import { writePictures } from './pictures.ts';
import { type AssetForRender, saveSound } from './processing.store.ts';
import { readVideoSettings } from './video-settings.ts';
import * as storage from '../../../storage/index.ts';

/** Returns the streams that an asset is played by: of a file named as sound no picture, whatever is in it. */
export async function probeAsset(
  { fileName }: Pick<AssetForRender, 'fileName'>,
  path: string,
  signal: AbortSignal,
): Promise<MediaProbe> {
  const found = await probe(path, { signal });
  if (getMediaType(fileName) !== 'AUDIO') return found;
  if (!found.audio) throw broken('There is no sound in this file');
  return { ...found, video: undefined };
}

/** Containers of films may hold a recording only. */
export const isSound = ({ video, audio }: MediaProbe): boolean =>
  video === undefined && audio !== undefined;

/**
 * Stores the cover picture of a sound file, where it has one, and enqueues the transcode of what browsers
 * cannot play. Covers are not analysed: their faces and texts are nobody's photos.
 */
export async function renderSound(
  ctx: JobCtx,
  { id }: AssetForRender,
  { path, probed }: { readonly path: string; readonly probed: MediaProbe },
): Promise<Effect> {
  const { signal } = ctx;
  const tempDir = await ensureScratchFolder(ctx.paths);
  const { outputs } = await readImageOutputs(ctx.db);
  const cover = await renderCover(path, { probe: probed, tempDir, outputs, signal });
  const files = cover ? await writePictures(ctx, id, cover) : [];
  const damage = await findTruncation(path);
  const reason = needsTranscode(probed, await readVideoSettings(ctx.db));
  return async (tx) => {
    const sound = {
      thumbhash: cover?.thumbhash ?? null,
      durationMs: probed.durationMs,
      damage,
      now: ctx.now(),
    };
    const unused = await saveSound(tx, id, sound, files);
    if (unused && reason) await enqueue(tx, transcodeVideo, { assetId: id });
    return () =>
      storage.remove(storage.derivedFiles(ctx.paths, unused ?? files.map(({ name }) => name)));
  };
}
