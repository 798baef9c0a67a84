import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { parse } from 'node:path';
import type { Db } from '../../../db/client.ts';
import type { JobCtx } from '../../../jobs/define.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { isPermanent, MediaError } from '../../../media/errors.ts';
import type { MediaMetadata } from '../../../media/metadata.ts';
import { extractMotionVideo } from '../../../media/motion-photo.ts';
import { type Incoming, openIncoming, publishOriginal } from '../../../media/originals.ts';
import { readMetadata, renderVideo } from '../jobs.ts';
import { addMotion, dropUnusedOriginal } from '../live-photos/live-photo.store.ts';
import type { MetadataSubject } from '../processing/processing.store.ts';
import { exifToolFor, scratchFile } from '../processing/tools.ts';

export type Motion = {
  /** First in a transaction: it locks the original before any asset. */
  add(tx: Db): Promise<void>;
  /** Removes what was not published. */
  discard(): Promise<void>;
};

/**
 * Takes the video out of a motion photo as an original of its own, durable like an upload. Undefined
 * when there is none, when the photo has its video, or when the promised video is not there.
 */
export async function extractMotion(
  ctx: JobCtx,
  asset: MetadataSubject,
  path: string,
  { motionPhoto }: MediaMetadata,
): Promise<Motion | undefined> {
  if (!motionPhoto || asset.liveVideoId || asset.type !== 'IMAGE') return undefined;
  const target = await scratchFile(ctx.paths, 'mp4');
  try {
    const exiftool = exifToolFor(ctx.paths, ctx.settings.mediaConcurrency);
    const { signal } = ctx;
    const found = await extractMotionVideo(path, target, { motionPhoto, exiftool, signal });
    const incoming = await openIncoming(ctx.paths);
    try {
      return await motionOf(ctx, asset, incoming, target, found.durationMs);
    } catch (error) {
      await incoming.discard();
      throw error;
    }
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    if (!isPermanent(error) && !ctx.isLastAttempt) throw error;
    ctx.log.warn('the video of a motion photo cannot be read', {
      assetId: asset.id,
      reason: error.message,
    });
    return undefined;
  } finally {
    await rm(target, { force: true });
  }
}

async function motionOf(
  ctx: JobCtx,
  asset: MetadataSubject,
  incoming: Incoming,
  source: string,
  durationMs: number | undefined,
): Promise<Motion> {
  for await (const chunk of createReadStream(source)) await incoming.write(chunk as Buffer);
  const { sha1, sha256, size } = await incoming.finish();
  await incoming.sync();
  const id = randomUUID();
  return {
    async add(tx) {
      const fileName = `${parse(asset.fileName).name}.mp4`;
      const motion = { id, stillId: asset.id, fileName, sha1, sha256, size, durationMs };
      const became = await addMotion(tx, { ...motion, now: ctx.now() });
      if (became === 'none') return dropUnusedOriginal(tx, sha256);
      if (became === 'linked') return;
      await enqueue(tx, readMetadata, { assetId: id });
      await enqueue(tx, renderVideo, { assetId: id });
      await publishOriginal(ctx.paths, incoming, sha256);
    },
    discard: () => incoming.discard(),
  };
}
