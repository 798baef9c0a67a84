import type { Db } from '../db/client.ts';
import { findDerivedFile, isNamedFile } from './file-objects.store.ts';
import { findAnyOriginal, findOriginal } from './originals.store.ts';

// Whether a library beside an object store has files in its data folder: then an empty folder is not that. No index tells
// it, since a library that has all of its files in the folder would pay for it with each upload. So the file that was found
// last is asked for first, by its key.

/** Returns whether a file is still in the data folder. */
type Witness = (db: Db) => Promise<boolean>;

/** By data folder. */
const witnesses = new Map<string, Witness>();

/** Returns whether any original or derived file is in the data folder; a row whose file is missing counts. */
export async function hasFiles(db: Db, root: string): Promise<boolean> {
  if (await witnesses.get(root)?.(db)) return true;
  const found = await findWitness(db);
  if (found) witnesses.set(root, found);
  else witnesses.delete(root);
  return found !== undefined;
}

async function findWitness(db: Db): Promise<Witness | undefined> {
  const sha256 = await findAnyOriginal(db);
  if (sha256) return async (later) => (await findOriginal(later, sha256)) !== undefined;
  const file = await findDerivedFile(db);
  return file && ((later) => isNamedFile(later, file));
}
