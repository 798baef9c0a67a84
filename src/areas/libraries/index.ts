export { findPathFault, normalizeFolder } from './import-path.ts';
export { importInPlace } from './in-place/in-place.domain.ts';
export { planSidecars, settleLibrary } from './jobs.ts';
