import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';

/** Deletes memories that nobody saved, and those that the owner deleted, after a while. */
export const cleanMemories = definePeriodicJob({
  name: 'memories.clean',
  attempts: 3,
  everyMinutes: 24 * 60,
});

/** Starts the generation of memories for accounts: once a day, and after a large import. */
export const findDueGenerations = definePeriodicJob({
  name: 'memories.findDue',
  attempts: 3,
  everyMinutes: 30,
});

/** Starts the generation of memories for all accounts. */
export const generateAllMemories = defineJob({
  name: 'memories.generateAll',
  queue: 'backgroundTask',
  lane: 'background',
  attempts: 3,
  /** Run whose items the accounts are. */
  payload: Type.Object({ runId: Type.Optional(Type.String({ format: 'uuid' })) }),
  uniqueKey: () => 'all',
});

/** Makes the memories of an account. */
export const generateMemories = defineJob({
  name: 'memories.generate',
  queue: 'backgroundTask',
  lane: 'background',
  attempts: 3,
  payload: Type.Object({ ownerId: Type.String() }),
  uniqueKey: ({ ownerId }) => ownerId,
});
