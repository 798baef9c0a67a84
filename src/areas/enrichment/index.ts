export { pickFrames, watchVideos } from './jobs.ts';
export { coverOf } from './cover.store.ts';
