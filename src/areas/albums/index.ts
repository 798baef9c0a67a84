export { albumCards } from './cards.store.ts';
