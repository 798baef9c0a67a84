export { chooseColor, toStorageLabel } from './domain.ts';
export { insertUser } from './store.ts';
export { removeAccounts } from './jobs.ts';
