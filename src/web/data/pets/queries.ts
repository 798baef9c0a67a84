import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { fetchObservations, fetchPet, fetchPets, fetchUndecided } from './pet-data.ts';

const SHOWN_UNDECIDED = 12;

export const petsQuery = () =>
  queryOptions({ queryKey: [...keys.pets, 'list'], queryFn: fetchPets });

export const petQuery = (id: string) =>
  queryOptions({ queryKey: [...keys.pets, 'pet', id], queryFn: () => fetchPet(id) });

/** Observations that a model assigned to a pet and nobody has confirmed or denied. */
export const undecidedQuery = (petId: string) =>
  queryOptions({
    queryKey: [...keys.pets, 'undecided', petId],
    queryFn: () => fetchUndecided(petId, SHOWN_UNDECIDED),
  });

/** The observations on one photo, and the pets by id that they may be of. */
export const photoPetsQuery = (assetId: string) =>
  queryOptions({
    queryKey: [...keys.pets, 'photo', assetId],
    queryFn: async () => {
      const observations = await fetchObservations(assetId);
      const pets = observations.length > 0 ? await fetchPets() : [];
      return { observations, pets };
    },
  });
