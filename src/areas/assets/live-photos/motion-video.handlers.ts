import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { parse } from 'node:path';
import type { Db } from '../../../db/client.ts';
import type { JobCtx } from '../../../jobs/define.ts';
import { isVerdict } from '../../../jobs/machine-faults.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { MediaError } from '../../../media/errors.ts';
import type { MediaMetadata } from '../../../media/metadata.ts';
import { extractMotionVideo, hasMotionTrailer } from '../../../media/motion-photo.ts';
import {
  type Incoming,
  openIncoming,
  publishOriginal,
  storeReceived,
  type LocalFile,
  readOriginalState,
} from '../../../storage/index.ts';
import { readMetadata, renderVideo } from '../jobs.ts';
import { addMotionVideo, deleteUnusedOriginal } from './motion-video.store.ts';
import type { AssetForMetadata } from '../exif/metadata.store.ts';
import { createScratchPath } from '../processing/derived-files.ts';

export type MotionVideo = {
  /** Call first in a transaction: it locks the original before any asset. */
  add(tx: Db): Promise<void>;
  /** Deletes the file if it was not published. */
  discard(): Promise<void>;
};

/**
 * Extracts the video of a motion photo as a durable original. Returns undefined when the photo has no
 * embedded video, has its video asset already, or the video cannot be read.
 */
export async function extractMotion(
  ctx: JobCtx,
  asset: AssetForMetadata,
  { path }: LocalFile,
  metadata: MediaMetadata,
): Promise<MotionVideo | undefined> {
  if (asset.liveVideoId || asset.type !== 'IMAGE') return undefined;
  const motionPhoto = metadata.motionPhoto ?? ((await hasMotionTrailer(path)) ? {} : undefined);
  if (!motionPhoto) return undefined;
  const target = await createScratchPath(ctx.paths, 'mp4');
  try {
    const { signal } = ctx;
    const found = await extractMotionVideo(path, target, { motionPhoto, signal });
    const incoming = await openIncoming(ctx.paths);
    try {
      return await createMotionVideo(ctx, asset, incoming, target, found.durationMs);
    } catch (error) {
      await incoming.discard();
      throw error;
    }
  } catch (error) {
    if (!(error instanceof MediaError) || !(await isVerdict(ctx, error, path))) throw error;
    ctx.log.warn('motion video extraction failed', {
      assetId: asset.id,
      reason: error.message,
    });
    return undefined;
  } finally {
    await rm(target, { force: true });
  }
}

async function createMotionVideo(
  ctx: JobCtx,
  asset: AssetForMetadata,
  incoming: Incoming,
  source: string,
  durationMs: number | undefined,
): Promise<MotionVideo> {
  for await (const chunk of createReadStream(source)) await incoming.write(chunk as Buffer);
  const digests = await incoming.finish();
  const { sha1, sha256, size } = digests;
  const received = await storeReceived(ctx, { file: incoming, digests });
  const id = randomUUID();
  return {
    async add(tx) {
      const fileName = `${parse(asset.fileName).name}.mp4`;
      const motion = { id, stillId: asset.id, fileName, sha1, sha256, size, durationMs };
      const result = await addMotionVideo(tx, { ...motion, now: ctx.now() });
      if (result === 'none') return deleteUnusedOriginal(tx, sha256);
      if (result === 'linked') return;
      await enqueue(tx, readMetadata, { assetId: id });
      await enqueue(tx, renderVideo, { assetId: id });
      await publishOriginal({ ...ctx, db: tx }, received, await readOriginalState(tx, sha256));
    },
    discard: () => incoming.discard(),
  };
}
