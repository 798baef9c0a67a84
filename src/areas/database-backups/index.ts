export { DatabaseChangeDto } from './schemas.ts';
