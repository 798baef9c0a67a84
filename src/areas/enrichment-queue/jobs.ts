import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';

const Payload = Type.Object({
  assetId: Type.String({ format: 'uuid' }),
  /** Repeats completed work. */
  force: Type.Optional(Type.Boolean()),
});
const byAsset = ({ assetId, force }: { assetId: string; force?: boolean }) =>
  force ? `${assetId}:again` : assetId;

/** Detects the scenes of a video and stores a frame of each. */
export const pickFrames = defineJob({
  name: 'enrichment.pickFrames',
  queue: 'smartSearch',
  lane: 'video',
  // Finding the scenes of a long video alone may take a quarter of an hour.
  timeLimitMs: 30 * 60_000,
  payload: Payload,
  attempts: 3,
  isRetriedLater: true,
  priority: -1,
  uniqueKey: byAsset,
});

/** Computes vectors, captions and generated moments from the stored frames. */
export const describeFrames = defineJob({
  name: 'enrichment.describeFrames',
  queue: 'smartSearch',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  isRetriedLater: true,
  priority: -1,
  uniqueKey: byAsset,
});

/** Transcribes speech in chunks of 30 s, with the lowest priority of all video jobs. */
export const transcribeVideo = defineJob({
  name: 'enrichment.transcribe',
  timeLimitMs: 30 * 60_000,
  queue: 'smartSearch',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  isRetriedLater: true,
  priority: -2,
  uniqueKey: byAsset,
});

/** Enqueues videos that were never processed, or were described or transcribed by other models. */
export const watchVideos = definePeriodicJob({
  name: 'enrichment.watchVideos',
  attempts: 1,
  everyMinutes: 5,
});
