export { pickFrames, watchVideos } from './jobs.ts';
export { findCoverTime } from './cover.store.ts';
export { retryFailedVideos } from './store.ts';
