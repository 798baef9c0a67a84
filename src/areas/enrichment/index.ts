export { pickFrames, watchVideos } from './jobs.ts';
export { coverOf } from './cover.store.ts';
export { retryFailedVideos } from './store.ts';
