export { backUpDatabase } from './jobs.ts';
