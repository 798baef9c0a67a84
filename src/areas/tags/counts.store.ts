import { createFolding } from '../../db/delta-counts.ts';

export const {
  hasUnfolded: hasUnfoldedTags,
  findUnfolded: findUnfoldedTags,
  fold: foldTags,
} = createFolding('tag', ['assets', 'total']);
