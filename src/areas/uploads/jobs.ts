import { defineRound } from '../../jobs/define.ts';

/** Gives up resumable uploads that were not completed in time, and removes their bytes. */
export const expireUploads = defineRound({
  name: 'uploads.expire',
  attempts: 1,
  everyMinutes: 10,
});
