import { get, post, put } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import { createResults } from '../search/results.ts';
import type { Timeline } from '../timeline/timeline-data.ts';
import type {
  Pet,
  PetAssets,
  PetCreate,
  PetObservation,
  PetObservationUpdate,
  PetUpdate,
} from '../../../areas/pets/schemas.ts';
import { t } from '../../base/i18n.ts';

export type { Pet, PetObservation, PetUpdate };
/** An animal on a photo: `ratio` is the photo's, `box` in parts of its width and height. */
export type Sight = Pick<PetObservation, 'assetId' | 'thumbhash' | 'ratio' | 'box'>;

export const fetchPets = (): Promise<Pet[]> => get('/pets');
export const fetchPet = (id: string): Promise<Pet> => get(`/pets/${id}`);
/** Pets and the photos of them. */
const PETS = { invalidates: [keys.pets, keys.results] };

export const changePet = (id: string, change: PetUpdate): Promise<Pet> =>
  mutate(() => put(`/pets/${id}`, change), PETS);
export const createPet = (pet: PetCreate): Promise<Pet> => mutate(() => post('/pets', pet), PETS);
/** The first one stays. */
export const mergePets = (ids: readonly string[]): Promise<Pet> =>
  mutate(() => post('/pets/merge', { ids }), PETS);

export const fetchUndecided = (id: string, size: number): Promise<PetObservation[]> =>
  get(`/pets/${id}/undecided`, { size });
export const fetchObservations = (assetId: string): Promise<PetObservation[]> =>
  get('/pets/observations', { assetId });
export const changeObservation = (
  id: string,
  change: PetObservationUpdate,
): Promise<PetObservation> => mutate(() => put(`/pets/observations/${id}`, change), PETS);
/** Puts an observation back to what it was when it was read. */
export const restoreObservation = ({
  id,
  verdict,
  petId,
}: PetObservation): Promise<PetObservation> =>
  changeObservation(id, { verdict, ...(petId && { petId }) });

export const petResults = (id: string): Timeline =>
  createResults(['pet', id], async (cursor, size) => {
    const page = await get<PetAssets>(`/pets/${id}/assets`, { size, ...(cursor && { cursor }) });
    return { items: page.items, next: page.nextCursor ?? undefined };
  });

const SPECIES: Record<Pet['species'], string> = {
  cat: t('Cat'),
  dog: t('Dog'),
  bird: t('Bird'),
  horse: t('Horse'),
  other: t('Other animal'),
};
const SPECIES_PLURAL: Record<Pet['species'], string> = {
  cat: t('Cats'),
  dog: t('Dogs'),
  bird: t('Birds'),
  horse: t('Horses'),
  other: t('Other animals'),
};
export const getSpeciesName = ({ species }: Pick<Pet, 'species'>): string => SPECIES[species];
/** The default one of a species stands for all of them until it has a name. */
export const getName = (pet: Pet): string => pet.name || SPECIES_PLURAL[pet.species];

/** More around the animal than the box. */
const ROOM = 1.25;

/** Returns where the picture lies behind a square window on the animal, in parts of the window. */
export function getCropWindow({ ratio, box }: Pick<Sight, 'ratio' | 'box'>) {
  const [width, height] = [(box.x2 - box.x1) * ratio, box.y2 - box.y1];
  const side = Math.min(Math.max(width, height) * ROOM, ratio, 1) || 1;
  const start = (middle: number, length: number) =>
    Math.max(0, Math.min(length - side, middle - side / 2));
  const left = start(((box.x1 + box.x2) / 2) * ratio, ratio);
  const top = start((box.y1 + box.y2) / 2, 1);
  return { width: ratio / side, left: -left / side, top: -top / side };
}
