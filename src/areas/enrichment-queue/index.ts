export { findCoverTime, retryFailedVideos } from './cover.store.ts';
export { describeFrames, pickFrames, transcribeVideo, watchVideos } from './jobs.ts';
