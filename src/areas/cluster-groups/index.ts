export { deleteDesertedRequests } from './store.ts';
