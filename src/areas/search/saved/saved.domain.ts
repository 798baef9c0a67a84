import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { AppError, invalidField } from '../../../core/errors.ts';
import { keepLimit } from '../../../db/limits/keep-limit.ts';
import type { SavedSearchRow } from '../../../db/tables/searches.ts';
import type { SavedSearch, SavedSearchCreate } from './saved.schemas.ts';
import * as store from './saved.store.ts';

/** Most characters of the chips of a search as JSON. */
const MAX_CHIPS = 10_000;

export async function listSavedSearches(ctx: Ctx): Promise<SavedSearch[]> {
  return (await store.listSearches(ctx.db, requireUser(ctx.session).userId)).map(toSavedSearch);
}

/** Throws 400 for a search without any condition, 409 beyond the limit. */
export async function saveSearch(ctx: Ctx, search: SavedSearchCreate): Promise<SavedSearch> {
  const { userId: ownerId } = requireUser(ctx.session);
  const [name, words] = [search.name.trim(), search.words.trim()];
  const { chips, sort } = search;
  if (name === '') throw invalidField('name', 'Must not be empty');
  if (words === '' && chips.length === 0)
    throw invalidField('words', 'Required for a search without chips');
  if (JSON.stringify(chips).length > MAX_CHIPS)
    throw invalidField('chips', `Must have at most ${MAX_CHIPS} characters as JSON`);
  const row = { ownerId, name, words, chips, sort: sort ?? null, createdAt: ctx.now() };
  return toSavedSearch(
    await keepLimit(ctx, 'savedSearch', { ownerId }, ({ db }) => store.insertSearch(db, row)),
  );
}

/** Throws 400, also for a search of another account. */
export async function deleteSavedSearch(ctx: Ctx, id: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  if (!(await store.deleteSearch(ctx.db, userId, id)))
    throw new AppError('badRequest', 'Saved search not found', { code: 'no_access' });
}

const toSavedSearch = ({
  id,
  name,
  words,
  chips,
  sort,
  createdAt,
}: SavedSearchRow): SavedSearch => ({
  id,
  name,
  words,
  chips: [...chips],
  ...(sort && { sort }),
  createdAt: createdAt.toISOString(),
});
