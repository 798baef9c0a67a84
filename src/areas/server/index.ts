export { IMMICH_VERSION } from './domain.ts';
