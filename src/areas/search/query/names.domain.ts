import { hasPermission, type Permission } from '../../../access/permissions.ts';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { listFacts } from '../../assets/index.ts';
import { listNamedPeople, listRelations, type Person } from '../../people/index.ts';
import { toMatching } from '../match/matching.domain.ts';
import { createLexicon, type Lexicon } from './lexicon.ts';
import { listAlbumNames, listPetNames, listTagNames } from './lexicon.store.ts';
import { findElsewhere, listOtherNames } from './place-names.ts';

type Counted = {
  /** Country, state and city; or make, model and lens. */
  readonly parts: readonly [string | null, string | null, string | null];
  readonly count: number;
};
export type LibraryNames = {
  readonly people: readonly Person[];
  readonly albums: readonly { readonly id: string; readonly name: string }[];
  readonly pets: readonly { readonly id: string; readonly name: string }[];
  readonly tags: readonly { readonly id: string; readonly name: string; readonly value: string }[];
  /** The most frequent first, as the cameras. */
  readonly places: readonly Counted[];
  readonly cameras: readonly Counted[];
};

/**
 * Returns the names that the caller may know: the own ones, and places and cameras of partners who show them, and
 * not only what was taken later than some day. Kinds that its key may not read have none.
 */
export async function loadNames(ctx: Ctx): Promise<LibraryNames> {
  const user = requireUser(ctx.session);
  const matching = await toMatching(ctx, {});
  const owners = (matching?.owners ?? [user.userId]).filter(
    (owner) => !user.partialSharers.some(({ id }) => id === owner),
  );
  const mayRead = (permission: Permission) => hasPermission(user.permissions, permission);
  const [facts, people, albums, pets, tags] = await Promise.all([
    listFacts(ctx, owners, ['place', 'camera']),
    mayRead('person.read') ? listNamedPeople(ctx) : [],
    mayRead('album.read') ? listAlbumNames(ctx.db, user.userId) : [],
    mayRead('person.read') ? listPetNames(ctx.db, user) : [],
    mayRead('tag.read') ? listTagNames(ctx.db, user) : [],
  ]);
  const byCount = facts.toSorted((a, b) => b.count - a.count);
  const places = byCount.filter(
    ({ kind, ownerId }) => kind === 'place' && !matching?.placeless.includes(ownerId),
  );
  return {
    people,
    albums,
    pets,
    tags,
    places,
    cameras: byCount.filter(({ kind }) => kind === 'camera'),
  };
}

/** Returns the names that a query is read with. */
export async function loadLexicon(ctx: Ctx): Promise<Lexicon> {
  const [{ people, cameras, places: counted, ...names }, relations] = await Promise.all([
    loadNames(ctx),
    listRelations(ctx),
  ]);
  const places = counted.map(({ parts }) => parts);
  return createLexicon({
    ...names,
    people: people.map((person) => ({ ...person, relation: relations.get(person.id) })),
    places,
    cameras: cameras.map(({ parts: [make, model] }) => [make, model]),
    otherNames: await listOtherNames(places),
    findElsewhere: await findElsewhere(),
  });
}
