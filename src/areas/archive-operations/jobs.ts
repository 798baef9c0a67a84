import { defineOperationJob } from '../../operations/define.ts';

/** Archives the items of an operation or undoes it, according to its state. */
export const runArchive = defineOperationJob({
  name: 'archiveOperations.run',
  queue: 'backgroundTask',
  lane: 'background',
  attempts: 5,
  priority: 2,
});
