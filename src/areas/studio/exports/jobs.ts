import { Type } from 'typebox';
import { defineJob } from '../../../jobs/define.ts';

/** Makes a film of a project. */
export const exportProject = defineJob({
  name: 'studio.exportProject',
  queue: 'editor',
  lane: 'video',
  payload: Type.Object({ exportId: Type.String({ format: 'uuid' }) }),
  attempts: 3,
  // Others wait; neither frames nor videos that are encoded wait for it.
  ownSlots: 1,
  uniqueKey: ({ exportId }) => exportId,
});
