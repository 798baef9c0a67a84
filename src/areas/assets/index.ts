/** What other areas may use of this one. */
export { readMetadata, renderImage, renderVideo } from './jobs.ts';
