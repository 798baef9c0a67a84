export { COMPATIBLE } from './domain.ts';
