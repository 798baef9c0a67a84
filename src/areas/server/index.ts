export { WELL_KNOWN_PATH, wellKnown } from './well-known.ts';
