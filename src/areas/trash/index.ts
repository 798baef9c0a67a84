export { hasAssets, deleteAssetsOfOwner } from './removal/owner-assets.store.ts';
export { deleteAssets, restoreAfterUpload, trashForTool } from './domain.ts';
