import { Check, PawPrint, X } from 'lucide-react';
import { Link } from 'wouter';
import type { Asset } from '../types.ts';
import { Menu, type MenuEntry } from '../ui/menu.tsx';
import { useLoad } from '../ui/use-load.ts';
import { fetchPets, fetchPetsOn, type Pet, type PetObservation, speciesOf } from './pet-data.ts';
import { useAnswer } from './use-answer.tsx';

/** The animals on the photo that is looked at, and whether they are what they seem. */
export function PhotoPets({ asset }: { asset: Asset }) {
  const { data, reload } = useLoad(() => fetchAll(asset.id), asset.id);
  const { answer, askWhich, dialog } = useAnswer(reload, null);
  if (!data || data.seen.length === 0) return null;
  const entriesFor = (one: PetObservation): MenuEntry[] => {
    const entries: MenuEntry[] = [
      { icon: PawPrint, label: 'Which pet is it?', run: () => askWhich(one) },
    ];
    if (one.verdict !== 'confirmed' && one.petId) {
      const confirm = () => void answer(one, { verdict: 'confirmed' }, 'Confirmed');
      entries.unshift({ icon: Check, label: 'This is right', run: confirm });
    }
    if (one.verdict !== 'denied') {
      const deny = () => void answer(one, { verdict: 'denied' }, 'Not a pet');
      entries.push({ icon: X, label: 'Not a pet', run: deny });
    }
    return entries;
  };
  return (
    <section className="info-section">
      <header>
        <h3>Pets</h3>
      </header>
      <ul className="chips">
        {data.seen.map((one) => {
          const pet = data.pets.get(one.petId ?? '');
          const name = pet?.name || speciesOf(one);
          return (
            <li key={one.id} className={one.petId ? 'chip' : 'chip off'}>
              <PawPrint size={14} aria-hidden />
              {one.petId ? (
                <Link href={`/pets/${one.petId}`}>{name}</Link>
              ) : (
                <span>No {speciesOf(one).toLowerCase()}</span>
              )}
              {one.verdict === 'confirmed' && <Check size={14} aria-label="confirmed" />}
              <Menu label={`About ${name}`} entries={entriesFor(one)} className="chip-menu" />
            </li>
          );
        })}
      </ul>
      {dialog}
    </section>
  );
}

type OnPhoto = { seen: PetObservation[]; pets: ReadonlyMap<string, Pet> };

/** Names are asked for only where there is something to name. */
async function fetchAll(assetId: string): Promise<OnPhoto> {
  const seen = await fetchPetsOn(assetId);
  const pets = seen.length > 0 ? await fetchPets() : [];
  return { seen, pets: new Map(pets.map((pet) => [pet.id, pet])) };
}
