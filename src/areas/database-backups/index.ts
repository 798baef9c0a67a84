export { DatabaseChangeDto } from './schemas.ts';
export { backUpDatabase } from './jobs.ts';
