export { VersionCheckStateResponseDto } from './schemas.ts';
export { findInstance } from './store.ts';
export { NEVER_CHECKED } from './routes.ts';
