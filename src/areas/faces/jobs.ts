import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

/** Computes the vector of a face whose box was drawn or moved by hand. */
export const embedFace = defineJob({
  name: 'faces.embed',
  queue: 'faceDetection',
  lane: 'inference',
  payload: Type.Object({ faceId: Type.String({ format: 'uuid' }) }),
  attempts: 3,
  uniqueKey: ({ faceId }) => faceId,
});
