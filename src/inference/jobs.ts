import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../jobs/define.ts';

const Payload = Type.Object({
  assetId: Type.String({ format: 'uuid' }),
  /** Also what the installed models have looked at before. */
  force: Type.Optional(Type.Boolean()),
});
const toUniqueKey = ({ assetId, force }: { assetId: string; force?: boolean }) =>
  force ? `${assetId}:again` : assetId;

/** Everything that the installed models have not looked at yet, from one decoding of the picture. */
export const analyzeAsset = defineJob({
  name: 'inference.analyze',
  queue: 'smartSearch',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  uniqueKey: toUniqueKey,
});

// What an administrator starts by the names of the public queues.

export const embedAsset = defineJob({
  name: 'inference.understand',
  queue: 'smartSearch',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  uniqueKey: toUniqueKey,
});

export const detectFaces = defineJob({
  name: 'inference.findFaces',
  queue: 'faceDetection',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  uniqueKey: toUniqueKey,
});

export const readText = defineJob({
  name: 'inference.readText',
  queue: 'ocr',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  uniqueKey: toUniqueKey,
});

export const computeFeature = defineJob({
  name: 'inference.measureLikeness',
  queue: 'duplicateDetection',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  uniqueKey: toUniqueKey,
});

/** Models were installed or exchanged: what they have not seen is queued. */
export const watchModels = definePeriodicJob({
  name: 'inference.watchModels',
  attempts: 1,
  everyMinutes: 5,
});

/** What models have made that are no longer used, once everything is made anew by others. */
export const deleteUnusedResults = definePeriodicJob({
  name: 'inference.forgetModels',
  attempts: 3,
  everyMinutes: 30,
});
