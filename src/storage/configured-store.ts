import type { S3Address } from '../core/s3-address.ts';
import type { Settings } from '../core/settings.ts';
import type { ObjectStore } from './object-store.ts';
import { createS3Store } from './s3/store.ts';

type StoreSettings = {
  readonly objectStore: S3Address | undefined;
  readonly objectStoreCredentials: string | undefined;
};

const stores = new WeakMap<S3Address, ObjectStore>();

/** Returns the store for dumps of the database; undefined when they are in the data folder only. */
export const findBackupStore = ({
  backupStore,
  backupStoreCredentials,
  objectStoreCredentials,
}: Pick<Settings, 'backupStore' | 'backupStoreCredentials' | 'objectStoreCredentials'>):
  ObjectStore | undefined =>
  findObjectStore({
    objectStore: backupStore,
    objectStoreCredentials: backupStoreCredentials ?? objectStoreCredentials,
  });

/** Returns the object store of these settings; undefined when originals are in the data folder only. */
export function findObjectStore({
  objectStore: address,
  objectStoreCredentials: credentials,
}: StoreSettings): ObjectStore | undefined {
  if (address === undefined) return undefined;
  let store = stores.get(address);
  if (!store) {
    store = createS3Store(address, credentials);
    stores.set(address, store);
  }
  return store;
}
