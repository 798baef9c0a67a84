import { get, post, put } from '../api.ts';
import { createResults } from '../search/results.ts';
import type { Timeline } from '../timeline/timeline-data.ts';
import type {
  Pet,
  PetAssets,
  PetCreate,
  PetObservation,
  PetObservationUpdate,
  PetUpdate,
} from '../../areas/pets/schemas.ts';

export type { Pet, PetObservation };
/** Where an animal is seen, on which photo. */
export type Sight = Pick<PetObservation, 'assetId' | 'thumbhash' | 'ratio' | 'box'>;

export const fetchPets = (): Promise<Pet[]> => get('/pets');
export const fetchPet = (id: string): Promise<Pet> => get(`/pets/${id}`);
export const changePet = (id: string, change: PetUpdate): Promise<Pet> =>
  put(`/pets/${id}`, change);
export const createPet = (pet: PetCreate): Promise<Pet> => post('/pets', pet);
/** The first one stays. */
export const mergePets = (ids: readonly string[]): Promise<Pet> => post('/pets/merge', { ids });

export const fetchUndecided = (id: string, size: number): Promise<PetObservation[]> =>
  get(`/pets/${id}/undecided`, { size });
export const fetchPetsOn = (assetId: string): Promise<PetObservation[]> =>
  get('/pets/observations', { assetId });
export const decide = (id: string, change: PetObservationUpdate): Promise<PetObservation> =>
  put(`/pets/observations/${id}`, change);
/** As it was before. */
export const takeBack = ({ id, verdict, petId }: PetObservation): Promise<PetObservation> =>
  decide(id, { verdict, ...(petId && { petId }) });

export const petResults = (id: string): Timeline =>
  createResults(['pet', id], async (cursor, size) => {
    const page = await get<PetAssets>(`/pets/${id}/assets`, { size, ...(cursor && { cursor }) });
    return { items: page.items, next: page.nextCursor ?? undefined };
  });

const SPECIES: Record<Pet['species'], string> = {
  cat: 'Cat',
  dog: 'Dog',
  bird: 'Bird',
  horse: 'Horse',
  other: 'Other animal',
};
export const speciesOf = ({ species }: Pick<Pet, 'species'>): string => SPECIES[species];
/** The default one of a species stands for all of them until it has a name. */
export const nameOf = (pet: Pet): string =>
  pet.name || (pet.species === 'other' ? 'Other animals' : `${speciesOf(pet)}s`);

/** More around the animal than the box. */
const ROOM = 1.25;

/** Where the picture lies behind a square window that shows the animal, in parts of the window. */
export function windowOn({ ratio, box }: Pick<Sight, 'ratio' | 'box'>) {
  const [width, height] = [(box.x2 - box.x1) * ratio, box.y2 - box.y1];
  const side = Math.min(Math.max(width, height) * ROOM, ratio, 1) || 1;
  const start = (middle: number, length: number) =>
    Math.max(0, Math.min(length - side, middle - side / 2));
  const left = start(((box.x1 + box.x2) / 2) * ratio, ratio);
  const top = start((box.y1 + box.y2) / 2, 1);
  return { width: ratio / side, left: -left / side, top: -top / side };
}
