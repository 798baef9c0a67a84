export { incrementRowVersions } from './row-versions.store.ts';
