export { hasAssets, deleteAssetsOfOwner } from './removal/owner-assets.store.ts';
export { trashRoutes } from './routes.ts';
export { deleteAssets, restoreAfterUpload, trashForTool } from './domain.ts';
export { deleteAssetsWithFiles } from './removal/removal.store.ts';
