import { defineOperationJob } from '../../../operations/define.ts';

/** Makes a film of a project. */
export const exportProject = defineOperationJob({
  name: 'studio.exportProject',
  queue: 'editor',
  lane: 'video',
  attempts: 3,
  // Others wait; neither frames nor videos that are encoded wait for it.
  ownSlots: 1,
});
