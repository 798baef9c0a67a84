export { pickFrames } from './jobs.ts';
