import type { Ctx } from '../../../core/context.ts';
import { countFilePlaces } from '../../../storage/files.store.ts';
import { findObjectStore } from '../../../storage/objects.ts';
import { sumPlaces } from '../../../storage/objects.store.ts';
import type { StoragePlaces } from './places.schemas.ts';
import * as store from './store.ts';

/** Returns what is in the data folder and in the object store, and whether files are moved from one to the other. */
export async function getStoragePlaces({ db, settings }: Ctx): Promise<StoragePlaces> {
  const url = findObjectStore(settings)?.url;
  if (url === undefined) return { store: null };
  const sums = await sumPlaces(db);
  const others = await countFilePlaces(db);
  return {
    store: {
      url,
      movingTo: (await store.findMove(db)) ?? null,
      files: { originals: sums.files, bytes: sums.fileBytes, others: others.files },
      objects: { originals: sums.objects, bytes: sums.objectBytes, others: others.objects },
    },
  };
}
