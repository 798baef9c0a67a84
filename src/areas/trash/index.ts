export { hasAssets, removeAssetsOf } from './accounts.store.ts';
export { trashRoutes } from './routes.ts';
export { deleteAssets, restoreUploaded, trashByTool } from './domain.ts';
export { removeAssets } from './removal.store.ts';
