import { createFolding } from '../../db/delta-counts.ts';

export const { findUnfolded: findUnfoldedTags, fold: foldTags } = createFolding('tag', [
  'assets',
  'total',
]);
