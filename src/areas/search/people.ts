import type { Ctx } from '../../core/context.ts';
import type { FacetValue } from './counts.schemas.ts';
import type { AssetPerson } from '../assets/index.ts';
import type { Matching } from './matching.store.ts';

// What the search asks of people. Nobody is recognised yet: these are the places where the area that
// recognises them answers.

export type NamedPerson = { readonly id: string; readonly name: string };

/** Everyone whom the caller has given a name and not hidden. */
export async function namedPeople(_ctx: Ctx): Promise<readonly NamedPerson[]> {
  return [];
}

/** The caller's people on what matches, and how many items have any of them. */
export async function countPeople(
  _ctx: Ctx,
  _matching: Matching,
): Promise<{ readonly people: readonly FacetValue[]; readonly recognised: number }> {
  return { people: [], recognised: 0 };
}

/** The caller's people whose name begins with this, or has a word that does. */
export async function peopleByName(
  _ctx: Ctx,
  _name: string,
  _withHidden: boolean,
): Promise<AssetPerson[]> {
  return [];
}
