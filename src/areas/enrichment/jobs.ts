import { Type } from 'typebox';
import { defineJob, defineRound } from '../../jobs/define.ts';

const Payload = Type.Object({
  assetId: Type.String({ format: 'uuid' }),
  /** Also what was done before. */
  force: Type.Optional(Type.Boolean()),
});
const byAsset = ({ assetId, force }: { assetId: string; force?: boolean }) =>
  force ? `${assetId}:again` : assetId;

/** Finds the scenes of a video and stores a picture of each. */
export const pickFrames = defineJob({
  name: 'enrichment.pickFrames',
  queue: 'smartSearch',
  lane: 'video',
  payload: Payload,
  attempts: 3,
  priority: -1,
  uniqueKey: byAsset,
});

/** Looks at the stored pictures: vectors, captions and generated moments. */
export const describeFrames = defineJob({
  name: 'enrichment.describeFrames',
  queue: 'smartSearch',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  priority: -1,
  uniqueKey: byAsset,
});

/** Writes down what is said, half a minute at a time: behind everything else that looks at videos. */
export const transcribeVideo = defineJob({
  name: 'enrichment.transcribe',
  queue: 'smartSearch',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  priority: -2,
  uniqueKey: byAsset,
});

/**
 * Queues what was left behind: videos of a library from before, and those that other models described
 * or heard.
 */
export const watchVideos = defineRound({
  name: 'enrichment.watchVideos',
  attempts: 1,
  everyMinutes: 5,
});
