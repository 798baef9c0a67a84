export { inheritPeople } from './inherit.domain.ts';
export { embedFace } from './jobs.ts';
