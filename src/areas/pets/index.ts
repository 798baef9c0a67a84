export { filterOwnPets } from './store.ts';
