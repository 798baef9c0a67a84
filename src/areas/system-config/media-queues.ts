import type { LimitedQueue } from '../../jobs/limits.ts';

/** Queues that --media-concurrency is about. */
export const MEDIA_QUEUES: readonly LimitedQueue[] = [
  'metadataExtraction',
  'thumbnailGeneration',
  'editor',
];
