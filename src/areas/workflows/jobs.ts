import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';
import { defineOperationJob } from '../../operations/define.ts';

/** Continues runs whose recognition is there or will not come; deletes old runs. */
export const sweepRuns = definePeriodicJob({
  name: 'workflows.sweep',
  queue: 'workflow',
  attempts: 3,
  everyMinutes: 5,
});

/** Evaluates a page of the assets that a backfill has not looked at. */
export const continueBackfill = defineJob({
  name: 'workflows.backfill',
  queue: 'workflow',
  lane: 'background',
  attempts: 3,
  // After all that people wait for, and after the matches of the page before.
  priority: -2,
  payload: Type.Object({ runId: Type.String({ format: 'uuid' }) }),
  uniqueKey: ({ runId }) => runId,
});

/** Takes back what a backfill has changed. */
export const undoBackfill = defineOperationJob({
  name: 'workflows.undoBackfill',
  queue: 'workflow',
  lane: 'background',
  attempts: 5,
  priority: 1,
});

/** The same as advanceRuns for a match of a backfill, after what happens to other assets now. */
export const advanceBackfilled = defineJob({
  name: 'workflows.advanceBackfilled',
  queue: 'workflow',
  lane: 'background',
  attempts: 3,
  priority: -1,
  payload: Type.Object({ assetId: Type.String({ format: 'uuid' }) }),
  uniqueKey: ({ assetId }) => assetId,
});

/** Sends a webhook. Its ten attempts take three quarters of an hour, and longer while its host is left alone. */
export const deliverWebhook = defineJob({
  name: 'workflows.deliverWebhook',
  queue: 'workflow',
  lane: 'background',
  attempts: 10,
  // A host that answers slowly holds up other webhooks only.
  ownSlots: 4,
  payload: Type.Object({
    /** The same for each attempt of the run: receivers tell repetitions by it. */
    id: Type.String(),
    ownerId: Type.String({ format: 'uuid' }),
    workflowId: Type.String({ format: 'uuid' }),
    assetId: Type.String({ format: 'uuid' }),
    url: Type.String(),
    message: Type.Union([Type.String(), Type.Null()]),
    /** When the step ran. */
    at: Type.String(),
  }),
});
