import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';

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

/** Continues runs whose recognition is there or will not come; deletes old runs. */
export const sweepRuns = definePeriodicJob({
  name: 'workflows.sweep',
  queue: 'workflow',
  attempts: 3,
  everyMinutes: 5,
});
