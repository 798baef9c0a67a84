export { incrementRowVersions, NEXT_ROW_VERSION } from './row-versions.store.ts';
