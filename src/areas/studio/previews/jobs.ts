import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../../jobs/define.ts';

/** Renders a frame; removes its folder once nobody wants it. */
export const renderFrame = defineJob({
  name: 'studio.renderFrame',
  queue: 'editor',
  lane: 'video',
  payload: Type.Object({ renderId: Type.String({ format: 'uuid' }) }),
  attempts: 2,
  // Somebody looks at it: it does not wait for a video that is encoded.
  ownSlots: 2,
  priority: 10,
  timeLimitMs: 3 * 60_000,
  uniqueKey: ({ renderId }) => renderId,
});

/** Retires forgotten previews, and deletes files that nobody wants. */
export const cleanStudio = definePeriodicJob({
  name: 'studio.clean',
  attempts: 3,
  everyMinutes: 60,
});
