import { createFolding } from '../../db/delta-counts.ts';

export const { findUnfolded, fold: foldCounts } = createFolding('person', ['faces']);
