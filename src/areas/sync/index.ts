export { readOwnViews, type SyncView } from './own.store.ts';
export { syncRoutes } from './routes.ts';
