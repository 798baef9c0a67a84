import { asUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import type { FacetValue } from './counts.schemas.ts';
import type { Fact } from './facets.store.ts';
import type { Matching } from './matching.store.ts';
import {
  countByPerson,
  countOnlyHidden,
  listNamedPeople,
  listPeople,
  type NamedPerson,
} from './people.store.ts';

// What the search asks of people.

/** Everyone whom the caller has given a name and not hidden. */
export const namedPeople = (ctx: Ctx): Promise<readonly NamedPerson[]> =>
  listNamedPeople(ctx.db, asUser(ctx.session).userId);

type PeopleCount = { readonly people: readonly FacetValue[]; readonly recognised: number };

const valueOf = (id: string, name: string, count: number): FacetValue => ({
  value: id,
  label: name === '' ? null : name,
  count,
});

/** The caller's people on what matches, and how many items have any of them. */
export async function countPeople(ctx: Ctx, matching: Matching): Promise<PeopleCount> {
  const { people, recognised } = await countByPerson(ctx, matching, asUser(ctx.session).userId);
  return { people: people.map(({ id, name, count }) => valueOf(id, name, count)), recognised };
}

/** The same of whole Timelines, by what is kept of them. */
export async function keptPeople(
  ctx: Ctx,
  matching: Matching,
  facts: readonly Fact[],
): Promise<PeopleCount> {
  const { userId } = asUser(ctx.session);
  const known = new Map((await listPeople(ctx.db, userId)).map((person) => [person.id, person]));
  const people: FacetValue[] = [];
  let [recognised, hasHidden] = [0, false];
  for (const { kind, parts, count, ownerId } of facts) {
    if (kind === 'recognised' && ownerId === userId) recognised += count;
    const person = kind === 'person' ? known.get(parts[0] ?? '') : undefined;
    if (person?.isHidden) hasHidden = true;
    else if (person) people.push(valueOf(person.id, person.name, count));
  }
  if (hasHidden) recognised -= await countOnlyHidden(ctx, matching, userId);
  return { people, recognised };
}

export { peopleByName } from '../people/index.ts';
