import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { fetchFaces, fetchSource } from './faces-data.ts';
import {
  countAssets,
  fetchCorrections,
  fetchFirstPeople,
  fetchNames,
  fetchPeople,
  fetchPerson,
  fetchRelation,
  fetchSuggestions,
  findPeople,
  type People,
} from './people-data.ts';

/** The first `size` people, or all whose name contains `name` if it is not empty. */
export const peopleQuery = (name: string, size: number, withHidden: boolean) =>
  queryOptions({
    queryKey: [...keys.people, 'list', { name, withHidden, ...(!name && { size }) }],
    queryFn: () => (name ? search(name, withHidden) : fetchFirstPeople(size, withHidden)),
    // A longer list begins with the shorter one, which stays until it is here.
    placeholderData: (previous, query) => {
      const before = query?.queryKey[2] as { name: string; withHidden: boolean } | undefined;
      return before?.name === name && before.withHidden === withHidden ? previous : undefined;
    },
  });

async function search(name: string, withHidden: boolean): Promise<People> {
  const people = await findPeople(name, withHidden);
  return { people, total: people.length, hidden: 0 };
}

export const topPeopleQuery = (size: number) =>
  queryOptions({ queryKey: [...keys.people, 'top', size], queryFn: () => fetchPeople({ size }) });

/** Names of people on some of the account's items. Their first, their last and their number stand for them all. */
export const namesQuery = (assetIds: readonly string[]) =>
  queryOptions({
    queryKey: [...keys.people, 'names', assetIds[0], assetIds.at(-1), assetIds.length],
    queryFn: () => fetchNames(assetIds),
    staleTime: Infinity,
  });

const CANDIDATES = 60;
/** People to choose from, those most like `closestTo` first, or only those who may be the same. */
export const candidatesQuery = (
  name: string,
  closestTo: string | undefined,
  likelyOnly: boolean = false,
) =>
  queryOptions({
    queryKey: [...keys.people, 'candidates', { name, closestTo, likelyOnly }],
    queryFn: async () => {
      if (name) return findPeople(name, false);
      const closest = closestTo && {
        closestPersonId: closestTo,
        ...(likelyOnly && { likelyOnly }),
      };
      const query = { size: CANDIDATES, ...closest };
      return (await fetchPeople(query)).people;
    },
    select: (people) => people.filter(({ id }) => id !== closestTo).slice(0, CANDIDATES),
  });

export const personQuery = (id: string) =>
  queryOptions({ queryKey: [...keys.people, 'person', id], queryFn: () => fetchPerson(id) });

export const personCountQuery = (id: string) =>
  queryOptions({ queryKey: [...keys.people, 'count', id], queryFn: () => countAssets(id) });

export const relationQuery = (id: string) =>
  queryOptions({ queryKey: [...keys.people, 'relation', id], queryFn: () => fetchRelation(id) });

export const suggestionsQuery = () =>
  queryOptions({ queryKey: [...keys.people, 'suggestions'], queryFn: fetchSuggestions });

const CORRECTIONS = 50;
export const correctionsQuery = (personId: string) =>
  queryOptions({
    queryKey: [...keys.people, 'corrections', personId],
    queryFn: () => fetchCorrections(personId, CORRECTIONS),
  });

export const facesQuery = (assetId: string) =>
  queryOptions({ queryKey: [...keys.faces, 'list', assetId], queryFn: () => fetchFaces(assetId) });

/** The picture that the boxes of a photo's faces refer to. */
export const faceSourceQuery = (assetId: string) =>
  queryOptions({
    queryKey: [...keys.faces, 'source', assetId],
    queryFn: () => fetchSource(assetId),
  });
