import { basename } from 'node:path';
import type { Db } from '../../../db/client.ts';
import * as store from './sweep.store.ts';

/** '<asset or person id>-<kind>'. */
const DERIVED_NAME = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-(.+)$/;

/** Returns the id of the asset or person that a derived file is named after. */
export const parseDerivedOwner = (name: string): string | undefined =>
  DERIVED_NAME.exec(basename(name))?.[1];

/**
 * Returns those of these derived files (relative to the derived folder) that are named like ours and that
 * no row refers to.
 */
export async function filterUntrackedDerived(db: Db, names: readonly string[]): Promise<string[]> {
  const ids = new Map(
    names.flatMap((name) => {
      const id = parseDerivedOwner(name);
      return id ? [[name, id] as const] : [];
    }),
  );
  const unique = [...new Set(ids.values())];
  const named = await store.findDerivedNames(db, unique);
  const persons = await store.findPersons(db, unique);
  return [...ids].flatMap(([name, id]) =>
    named.has(name) || (persons.has(id) && basename(name).startsWith(`${id}-person.`))
      ? []
      : [name],
  );
}
