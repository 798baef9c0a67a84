import { createFolding } from '../../db/delta-counts.ts';

export const { hasUnfolded, findUnfolded, fold: foldCounts } = createFolding('person', ['faces']);
