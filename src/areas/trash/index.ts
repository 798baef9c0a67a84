export {
  deleteAssetsOfLibrary,
  deleteAssetsOfOwner,
  hasAssets,
} from './removal/owner-assets.store.ts';
export { deleteAssetsWithFiles } from './removal/removal.store.ts';
export {
  deleteAssets,
  restoreAfterUpload,
  trashForTool,
  trashItemsWithOriginal,
} from './domain.ts';
export { restoreItems, trashItems } from './moves/moves.store.ts';
export {
  filterUsedOutsideTrash,
  findItemsByOriginal,
  lockAssets,
} from './moves/originals.store.ts';
export { claimOriginals, filterUnreferenced, releaseOriginals } from './sweep/sweep.store.ts';
export { filterUntrackedDerived, parseDerivedOwner } from './sweep/untracked.domain.ts';
export { removeFiles } from './jobs.ts';
