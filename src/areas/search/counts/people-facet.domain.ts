import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import type { FacetValue } from './counts.schemas.ts';
import type { Fact } from '../../assets/index.ts';
import type { Matching } from '../match/matching.store.ts';
import { countAssetsOfHiddenPeople, listPeople } from '../match/people.store.ts';

/** Values of the facet, and the number of items that have any of them. */
export type PeopleCount = { readonly people: readonly FacetValue[]; readonly recognised: number };

export const toPersonFacet = (id: string, name: string, count: number): FacetValue => ({
  value: id,
  label: name === '' ? null : name,
  count,
});

/** Returns the caller's people on whole Timelines from the precomputed counts. */
export async function getPeopleCount(
  ctx: Ctx,
  matching: Matching,
  facts: readonly Fact[],
): Promise<PeopleCount> {
  const { userId } = requireUser(ctx.session);
  const known = new Map((await listPeople(ctx.db, userId)).map((person) => [person.id, person]));
  const people: FacetValue[] = [];
  let [recognised, hasHidden] = [0, false];
  for (const { kind, parts, count, ownerId } of facts) {
    if (kind === 'recognised' && ownerId === userId) recognised += count;
    const person = kind === 'person' ? known.get(parts[0] ?? '') : undefined;
    if (person?.isHidden) hasHidden = true;
    else if (person) people.push(toPersonFacet(person.id, person.name, count));
  }
  if (hasHidden) recognised -= await countAssetsOfHiddenPeople(ctx, matching, userId);
  return { people, recognised };
}
