import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

/** Creates the runs for the events of an asset and continues those that have not ended, in order. */
export const advanceRuns = defineJob({
  name: 'workflows.advance',
  queue: 'workflow',
  lane: 'background',
  attempts: 3,
  priority: 1,
  payload: Type.Object({ assetId: Type.String({ format: 'uuid' }) }),
  uniqueKey: ({ assetId }) => assetId,
});
