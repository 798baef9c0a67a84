import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';

const Id = Type.String({ format: 'uuid' });

/** Makes a plan: a dry run. */
export const previewPlan = defineJob({
  name: 'physicalDeduplication.preview',
  queue: 'backgroundTask',
  lane: 'background',
  ownSlots: 1,
  payload: Type.Object({ planId: Id }),
  attempts: 3,
  uniqueKey: ({ planId }) => planId,
});

/** Applies the approved copies of a plan; works for some seconds, and continues as another item of its run. */
export const applyPlan = defineJob({
  name: 'physicalDeduplication.apply',
  queue: 'backgroundTask',
  lane: 'background',
  ownSlots: 1,
  payload: Type.Object({ applyId: Id }),
  attempts: 10,
  uniqueKey: ({ applyId }) => applyId,
});

/** Deletes files of copies that have been in the quarantine for 30 days. */
export const purgeCopies = definePeriodicJob({
  name: 'physicalDeduplication.purge',
  attempts: 3,
  everyMinutes: 24 * 60,
});
