import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

/** Drops what the log of changes says twice, and what is too old to be asked for. */
export const compactChanges = defineJob({
  name: 'sync.compact',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 1,
  everyMinutes: 6 * 60,
  uniqueKey: () => 'all',
});
