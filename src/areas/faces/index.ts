export { inheritPeople } from './inherit.domain.ts';
