import { Type } from 'typebox';
import { defineJob, defineRound } from '../jobs/define.ts';

const Payload = Type.Object({
  assetId: Type.String({ format: 'uuid' }),
  /** Also what the installed models have looked at before. */
  force: Type.Optional(Type.Boolean()),
});
const byAsset = ({ assetId, force }: { assetId: string; force?: boolean }) =>
  force ? `${assetId}:again` : assetId;

/** Everything that the installed models have not looked at yet, from one decoding of the picture. */
export const analyzeAsset = defineJob({
  name: 'inference.analyze',
  queue: 'smartSearch',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  uniqueKey: byAsset,
});

// What an administrator starts by the names of the public queues.

export const understandAsset = defineJob({
  name: 'inference.understand',
  queue: 'smartSearch',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  uniqueKey: byAsset,
});

export const findFaces = defineJob({
  name: 'inference.findFaces',
  queue: 'faceDetection',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  uniqueKey: byAsset,
});

export const readText = defineJob({
  name: 'inference.readText',
  queue: 'ocr',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  uniqueKey: byAsset,
});

export const measureLikeness = defineJob({
  name: 'inference.measureLikeness',
  queue: 'duplicateDetection',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  uniqueKey: byAsset,
});

/** Models were installed or exchanged: what they have not seen is queued. */
export const watchModels = defineRound({
  name: 'inference.watchModels',
  attempts: 1,
  everyMinutes: 5,
});

/** What models have made that are no longer used, once everything is made anew by others. */
export const forgetModels = defineRound({
  name: 'inference.forgetModels',
  attempts: 3,
  everyMinutes: 30,
});
