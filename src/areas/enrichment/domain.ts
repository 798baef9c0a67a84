import { requireUser } from '../../access/scope.ts';
import { findVideo, lockOwnVideo, type Video } from './video.store.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField, notFound } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { getCapabilities } from '../../inference/index.ts';
import { enqueue } from '../../jobs/queue.ts';
import { renderVideo } from '../assets/index.ts';
import { pickFrames } from '../enrichment-queue/index.ts';
import { listFrameModels, joinModels } from './frames/frame-models.ts';
import type { Moments, Speech } from './schemas.ts';
import * as store from './store.ts';
import { type Enrichment, saveState } from './store.ts';
import { listSpeech } from './transcript/transcript.store.ts';
import { toMoments, type VideoView } from './moments-view.ts';
import type { VideoSpeechRow } from '../../db/tables/videos.ts';
import * as storage from '../../storage/index.ts';

export async function getMoments(ctx: Ctx, id: string): Promise<Moments> {
  const video = await findVideo(ctx.db, ctx.session, id);
  if (video?.type !== 'VIDEO') throw notFound('Video');
  return loadMoments(ctx, video);
}

/**
 * Sets the cover time of a video; null restores the best frame. Throws 404 for other accounts, 400
 * beyond the end.
 */
export async function setCover(ctx: Ctx, id: string, timeMs: number | null): Promise<Moments> {
  return inTransaction(ctx, async (ctx) => {
    const video = await requireOwnVideo(ctx, id);
    requireWithinVideo(video, 'timeMs', timeMs ?? 0);
    await store.saveCover(ctx.db, video.assetId, timeMs);
    // The job renders thumbnail and preview.
    await enqueue(ctx.db, renderVideo, { assetId: video.assetId });
    return loadMoments(ctx, video);
  });
}

/** Returns the file of a frame. Throws 404. */
export async function getFrameFile(ctx: Ctx, id: string) {
  const frame = await store.findFrame(ctx.db, requireUser(ctx.session), id);
  if (!frame) throw notFound('Frame');
  const source = await storage.open(ctx, storage.derivedFile(ctx.paths, frame.name));
  if (!source) {
    requeueFrames(ctx, frame.assetId);
    throw notFound('Frame');
  }
  return {
    ...source,
    size: frame.size,
    etag: `"${frame.tag}"`,
    type: 'image/jpeg',
    // Locked pictures leave no copy in the browser's cache.
    cacheControl: frame.isLocked ? 'private, no-store' : 'private, no-cache, no-transform',
    disposition: { kind: 'inline' as const, fileName: `${frame.id}.jpg` },
    onGone: () => requeueFrames(ctx, frame.assetId),
  };
}

/** Enqueues the frames of a video again: derived files are not durable. */
function requeueFrames(ctx: Ctx, assetId: string): void {
  enqueue(ctx.db, pickFrames, { assetId }).catch((error: unknown) =>
    ctx.log.error('cannot enqueue missing frames', { assetId, error }),
  );
}

/**
 * Locks the caller's video until the transaction ends. Throws 404, also for others who may see it,
 * and 400 for a photo.
 */
export async function requireOwnVideo({ db, session }: Ctx, id: string): Promise<Video> {
  requireUser(session);
  const video = await lockOwnVideo(db, session, id);
  if (!video) throw notFound('Video');
  if (video.type !== 'VIDEO') throw badRequest('Not a video');
  return video;
}

export function requireWithinVideo({ durationMs }: Video, field: string, timeMs: number): void {
  if (durationMs !== null && timeMs > durationMs) {
    throw invalidField(field, `Beyond the end of the video, at ${durationMs} ms`);
  }
}

async function loadMoments(ctx: Ctx, video: Video): Promise<Moments> {
  const view = await loadVideoView(ctx, video);
  const lines = await listSpeech(ctx.db, video.assetId);
  const model = getCapabilities(ctx.settings).speech?.modelId;
  return toMoments(view, toSpeech(view.enrichment, lines, model));
}

export async function loadVideoView({ db, settings }: Ctx, video: Video): Promise<VideoView> {
  return {
    video,
    enrichment: await store.findEnrichment(db, video.assetId),
    frames: await store.listFrames(db, video.assetId),
    moments: await store.listMoments(db, video.assetId),
    models: joinModels(listFrameModels(settings)),
  };
}

/** Returns the wire form of a transcript. `model`: the installed one. */
function toSpeech(
  enrichment: Enrichment | undefined,
  lines: readonly VideoSpeechRow[],
  model: string | undefined,
): Speech {
  const by = enrichment?.heardBy || enrichment?.hearingBy || lines[0]?.model;
  return {
    status: getStatus(enrichment, model),
    model: by ?? null,
    language: enrichment?.language ?? null,
    isOutdated: by !== undefined && model !== undefined && by !== model,
    lines: lines.map(({ startMs, endMs, text, language, confidence }) => ({
      startMs,
      endMs,
      text,
      language,
      confidence,
    })),
  };
}

function getStatus(
  enrichment: Enrichment | undefined,
  model: string | undefined,
): Speech['status'] {
  if (enrichment?.hearingBy) return 'processing';
  if (enrichment?.heardBy) return enrichment.speechError === null ? 'ready' : 'failed';
  return model === undefined ? 'unavailable' : 'pending';
}

/** Enqueues scene detection and description with the installed models. Manual moments stay. */
export async function refreshVideo(ctx: Ctx, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { assetId } = await requireOwnVideo(ctx, id);
    await saveState(ctx.db, assetId, 'processing');
    await enqueue(ctx.db, pickFrames, { assetId, force: true });
  });
}
