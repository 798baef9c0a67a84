import { defineOperationJob } from '../../operations/define.ts';

/** Downloads a set of models. */
export const pullSet = defineOperationJob({
  name: 'models.pullSet',
  queue: 'backgroundTask',
  lane: 'background',
  attempts: 3,
  // Others wait: they share the line to the internet.
  ownSlots: 1,
});
