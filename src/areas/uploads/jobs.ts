import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

/** Gives up resumable uploads that were not completed in time, and removes their bytes. */
export const expireUploads = defineJob({
  name: 'uploads.expire',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 1,
  everyMinutes: 10,
  uniqueKey: () => 'all',
});
