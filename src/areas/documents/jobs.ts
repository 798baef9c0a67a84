import { definePeriodicJob } from '../../jobs/define.ts';

/** Folds the delta rows of document_count together. */
export const foldDocumentCounts = definePeriodicJob({
  name: 'documents.foldCounts',
  attempts: 1,
  everyMinutes: 1,
});
