import { Type } from 'typebox';
import { areModelsAway } from './analysis.store.ts';
import { defineJob, definePeriodicJob } from '../jobs/define.ts';

const Payload = Type.Object({
  assetId: Type.String({ format: 'uuid' }),
  /** Repeats completed tasks. */
  force: Type.Optional(Type.Boolean()),
});
const toUniqueKey = ({ assetId, force }: { assetId: string; force?: boolean }) =>
  force ? `${assetId}:again` : assetId;

/** Runs all due tasks on one decoding of the picture. */
export const analyzeAsset = defineJob({
  name: 'inference.analyze',
  queue: 'smartSearch',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  isRetriedLater: true,
  uniqueKey: toUniqueKey,
});

// Jobs that an administrator starts by the names of the public queues.

export const embedAsset = defineJob({
  name: 'inference.embedAsset',
  queue: 'smartSearch',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  isRetriedLater: true,
  uniqueKey: toUniqueKey,
});

export const detectFaces = defineJob({
  name: 'inference.detectFaces',
  queue: 'faceDetection',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  isRetriedLater: true,
  uniqueKey: toUniqueKey,
});

export const readText = defineJob({
  name: 'inference.readText',
  queue: 'ocr',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  isRetriedLater: true,
  uniqueKey: toUniqueKey,
});

export const computeFeature = defineJob({
  name: 'inference.computeFeature',
  queue: 'duplicateDetection',
  lane: 'inference',
  payload: Payload,
  attempts: 3,
  isRetriedLater: true,
  uniqueKey: toUniqueKey,
});

/** Enqueues the analysis of all assets after models were installed or replaced. */
export const watchModels = definePeriodicJob({
  name: 'inference.watchModels',
  attempts: 1,
  everyMinutes: 5,
});

/** Looks for models that were there and are away, until they have returned or nobody awaits them any more. */
export const awaitModels = definePeriodicJob({
  name: 'inference.awaitModels',
  attempts: 1,
  everyMinutes: 1,
  hasWork: areModelsAway,
});

/** Deletes results of models that are no longer used, once their successors have caught up. */
export const deleteUnusedResults = definePeriodicJob({
  name: 'inference.deleteUnusedResults',
  attempts: 3,
  everyMinutes: 30,
});
