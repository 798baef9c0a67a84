import { AppError } from '../../core/errors.ts';
import type { Db } from '../../db/client.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { listPeopleNamed, lockNames } from './names.store.ts';
import type { JobCtx } from '../../jobs/define.ts';
import { insertPerson, updatePerson } from './store.ts';

/** Gives the account's people of this name who have no birth date this one. */
export async function completeBirthDate(
  { db, now }: Pick<JobCtx, 'db' | 'now'>,
  ownerId: string,
  { name, birthDate }: { readonly name: string; readonly birthDate: string },
): Promise<void> {
  await lockNames(db, ownerId);
  for (const { id, hasBirthDate } of await listPeopleNamed(db, ownerId, [name])) {
    if (!hasBirthDate) await updatePerson(db, id, { birthDate }, now());
  }
}

/**
 * Returns the ids of the account's people with these names, the missing ones made. Those above the most people that an
 * account has are left out.
 */
export async function upsertPeopleByName(
  db: Db,
  ownerId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(names.filter(Boolean));
  if (wanted.size === 0) return new Map();
  await lockNames(db, ownerId);
  const found = await listPeopleNamed(db, ownerId, [...wanted]);
  // The oldest of several people with one name.
  const ids = new Map(found.toReversed().map(({ id, name }) => [name, id]));
  for (const name of wanted) {
    if (ids.has(name)) continue;
    const person = await keepLimit({ db }, 'person', { ownerId }, ({ db }) =>
      insertPerson(db, ownerId, { name }),
    ).catch((error: unknown) => {
      if (error instanceof AppError) return undefined;
      throw error;
    });
    if (!person) break;
    ids.set(name, person.id);
  }
  return ids;
}
