import { Type } from 'typebox';
import { defineJob } from '../../../jobs/define.ts';

/** Makes the strip and the waveform of a file. */
export const makeOverview = defineJob({
  name: 'studio.makeOverview',
  queue: 'editor',
  lane: 'video',
  payload: Type.Object({ sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
  attempts: 2,
  // After the frames that somebody looks at.
  priority: 5,
  timeLimitMs: 20 * 60_000,
  uniqueKey: ({ sha256 }) => sha256,
});
