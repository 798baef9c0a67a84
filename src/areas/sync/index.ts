export { keepEpochRecorded } from './epoch.domain.ts';
export { readOwnViews, type SyncView } from './own-views.store.ts';
export { syncRoutes } from './routes.ts';
