import { deleteAssetsOfOwner } from '../../src/areas/trash/removal/owner-assets.store.ts';
import { deleteAssetsWithFiles } from '../../src/areas/trash/removal/removal.store.ts';
import type { TestDatabase } from './harness.ts';

/** Deletes assets for good, with all that belongs to them. */
export const deleteForGood = (
  { db }: Pick<TestDatabase, 'db'>,
  ids: readonly string[],
): Promise<number> => db.transaction((tx) => deleteAssetsWithFiles(tx, ids));

/** Deletes all assets of an account for good. */
export const deleteAllForGood = (
  { db }: Pick<TestDatabase, 'db'>,
  ownerId: string,
): Promise<number> => db.transaction((tx) => deleteAssetsOfOwner(tx, ownerId, 10_000));
