import { defineRound } from '../../jobs/define.ts';

/** Folds the delta rows of document_count together. */
export const foldDocumentCounts = defineRound({
  name: 'documents.foldCounts',
  attempts: 1,
  everyMinutes: 1,
});
