import { asUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import type { FacetValue } from './counts.schemas.ts';
import type { Matching } from './matching.store.ts';
import { countByPerson, listNamedPeople, type NamedPerson } from './people.store.ts';

// What the search asks of people.

/** Everyone whom the caller has given a name and not hidden. */
export const namedPeople = (ctx: Ctx): Promise<readonly NamedPerson[]> =>
  listNamedPeople(ctx.db, asUser(ctx.session).userId);

/** The caller's people on what matches, and how many items have any of them. */
export async function countPeople(
  ctx: Ctx,
  matching: Matching,
): Promise<{ readonly people: readonly FacetValue[]; readonly recognised: number }> {
  const { people, recognised } = await countByPerson(ctx, matching, asUser(ctx.session).userId);
  const values = people.map(({ id, name, count }) => ({ value: id, label: name, count }));
  return { people: values, recognised };
}

export { peopleByName } from '../people/index.ts';
