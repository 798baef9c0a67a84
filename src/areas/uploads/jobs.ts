import { definePeriodicJob } from '../../jobs/define.ts';

/** Cancels resumable uploads that expired and deletes their bytes. */
export const expireUploads = definePeriodicJob({
  name: 'uploads.expire',
  attempts: 1,
  everyMinutes: 10,
});

/** Tells accounts of large imports that have finished. */
export const reportImports = definePeriodicJob({
  name: 'uploads.reportImports',
  attempts: 1,
  everyMinutes: 5,
});
