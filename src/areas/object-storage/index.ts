export { compareSlice } from './compare.handlers.ts';
export { moveFilesToObjects, moveObjectsToFiles } from './files.domain.ts';
export { moveToFiles, moveToObjects, type MoveCounts } from './move.domain.ts';
export { verifyObjects } from './verify.domain.ts';
