import { randomUUIDv7 } from 'bun';
import { getFirst } from '../../../core/required.ts';
import { lockAsset } from '../../../inference/subject.store.ts';
import { findVideoSubject, type VideoSubject } from '../video.store.ts';
import type { VideoFrameRow, VideoMomentRow } from '../../../db/tables/videos.ts';
import {
  getCapabilities,
  deleteEmbeddings,
  getInference,
  type NewEmbedding,
  PictureUnreadable,
  saveEmbeddings,
} from '../../../inference/index.ts';
import type { JobHandler, JobCtx } from '../../../jobs/define.ts';
import { saveTextPart } from '../../search/index.ts';
import { createCaption } from './caption.ts';
import type { describeFrames } from '../../enrichment-queue/index.ts';
import { FRAME_TASKS, listFrameModels, joinModels } from './frame-models.ts';
import * as store from '../store.ts';
import * as storage from '../../../storage/index.ts';

type DescribedFrame = {
  readonly frame: VideoFrameRow;
  readonly caption: string | null;
  readonly vector: Float32Array | undefined;
};

/**
 * Describes the frames of a video; without models they stay undescribed until some are installed.
 */
export const handleDescribeFrames: JobHandler<typeof describeFrames> = async (
  ctx,
  { assetId, force },
) => {
  const video = await findVideoSubject(ctx.db, assetId);
  const known = await store.findEnrichment(ctx.db, assetId);
  const frames = await store.listFrames(ctx.db, assetId);
  if (!video || !known?.source || frames.length === 0) return undefined;
  const models = joinModels(listFrameModels(ctx.settings));
  if (models === '') {
    return known.models === '' ? (tx) => store.saveState(tx, assetId, 'unavailable') : undefined;
  }
  if (known.models === models && !force) return undefined;
  const described: DescribedFrame[] = [];
  for (const frame of frames) described.push(await describeFrame(ctx, frame));
  return (tx) => saveDescriptions(ctx, tx, video, { looked: described, models });
};

async function describeFrame(ctx: JobCtx, frame: VideoFrameRow): Promise<DescribedFrame> {
  const path = await storage.requireFile(ctx, storage.derivedFile(ctx.paths, frame.name));
  try {
    const { results } = await getInference(ctx).analyze({ path }, FRAME_TASKS, {
      signal: ctx.signal,
    });
    const { objects = [], labels = [], embedding } = results;
    // A zero vector: nothing was recognized.
    const vector = embedding?.some((value) => value !== 0) ? embedding : undefined;
    return { frame, caption: createCaption({ objects, labels }), vector };
  } catch (error) {
    if (!(error instanceof PictureUnreadable)) throw error;
    return { frame, caption: null, vector: undefined };
  }
}

async function saveDescriptions(
  { settings, now }: JobCtx,
  tx: JobCtx['db'],
  { assetId }: VideoSubject,
  { looked, models }: { readonly looked: readonly DescribedFrame[]; readonly models: string },
): Promise<void> {
  await lockAsset(tx, assetId);
  const current = await store.listFrames(tx, assetId);
  const ids = new Set(current.map(({ id }) => id));
  // Frames were replaced meanwhile: their own job follows.
  if (looked.some(({ frame }) => !ids.has(frame.id)) || looked.length !== current.length) return;
  const { source } = getFirst(looked).frame;
  const vectorModel = getCapabilities(settings).embedding?.modelId ?? null;
  const at = now();
  const moments = looked.map(({ frame, caption }): VideoMomentRow => ({
    id: randomUUIDv7(),
    assetId,
    kind: 'generated',
    startMs: frame.startMs,
    endMs: frame.endMs,
    title: null,
    caption,
    transcript: null,
    frameId: frame.id,
    source,
    models,
    createdAt: at,
    updatedAt: at,
  }));
  await store.replaceGenerated(tx, assetId, { source, models, vectorModel, now: at }, moments);
  const captions = new Set(looked.flatMap(({ caption }) => caption ?? []));
  await saveTextPart(tx, assetId, 'caption', [...captions].join('\n'));
  await deleteEmbeddings(tx, [...ids]);
  const vectors = looked.flatMap(({ frame, vector }): NewEmbedding[] =>
    vector ? [{ kind: 'frame', subjectId: frame.id, vector }] : [],
  );
  if (vectorModel) await saveEmbeddings(tx, vectorModel, vectors);
}
