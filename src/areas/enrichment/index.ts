export { pickFrames } from './jobs.ts';
export { coverOf } from './cover.store.ts';
