export { findCoverTime } from './cover.store.ts';
export { retryFailedVideos } from './failed-videos.store.ts';
export { describeFrames, pickFrames, transcribeVideo, watchVideos } from './jobs.ts';
