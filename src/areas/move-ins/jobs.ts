import { defineOperationJob } from '../../operations/define.ts';

/** Takes an account of another server into the library. */
export const runMoveIn = defineOperationJob({
  name: 'moveIns.run',
  queue: 'backgroundTask',
  lane: 'background',
  attempts: 5,
  // Others wait: they share the line and the disk.
  ownSlots: 1,
});
