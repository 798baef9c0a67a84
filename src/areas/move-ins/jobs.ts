import { definePeriodicJob } from '../../jobs/define.ts';
import { defineOperationJob } from '../../operations/define.ts';

/** Takes an account of another server into the library. */
export const runMoveIn = defineOperationJob({
  name: 'moveIns.run',
  queue: 'backgroundTask',
  lane: 'background',
  attempts: 5,
  // Others wait: they share the line and the disk, and one that waits for its server is among them.
  ownSlots: 3,
});

/** Names people by the faces that had a name on the other server: they are found long after the photos have come. */
export const nameFaces = definePeriodicJob({
  name: 'moveIns.nameFaces',
  attempts: 3,
  everyMinutes: 60,
});

/** Removes archives whose move is over, or was left alone. */
export const removeArchives = definePeriodicJob({
  name: 'moveIns.removeArchives',
  attempts: 3,
  everyMinutes: 60,
});
