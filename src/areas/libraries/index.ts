export { importInPlace } from './in-place/in-place.domain.ts';
