import { Check, PawPrint, X } from 'lucide-react';
import { useState } from 'react';
import { attempt, showUndo } from '../toast.tsx';
import { IconButton } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';
import {
  decide,
  fetchUndecided,
  nameOf,
  type Pet,
  type PetObservation,
  takeBack,
} from './pet-data.ts';
import { PetPicker } from './picker.tsx';
import { PetPicture } from './pet-picture.tsx';

type Props = { pet: Pet; onChange: () => Promise<void> };

const SHOWN = 12;

/** What a machine took for this pet, to be answered one by one. */
export function Review({ pet, onChange }: Props) {
  const { data, reload } = useLoad(() => fetchUndecided(pet.id, SHOWN), pet.id);
  const [moved, setMoved] = useState<PetObservation>();
  if (!data || data.length === 0) return null;

  const again = async () => void (await Promise.all([reload(), onChange()]));
  const answer = async (
    before: PetObservation,
    change: Parameters<typeof decide>[1],
    done: string,
  ) => {
    if (!(await attempt(() => decide(before.id, change)))) return;
    await again();
    showUndo(done, () =>
      attempt(async () => {
        await takeBack(before);
        await again();
      }),
    );
  };
  const name = pet.name || 'a pet';
  return (
    <section className="pet-review" aria-label="Is this right?">
      <header className="row-head">
        <h2>{pet.name ? `Is this ${pet.name}?` : 'Is this one of yours?'}</h2>
      </header>
      <ul>
        {data.map((one) => (
          <li key={one.id}>
            <PetPicture sight={one} size="preview" />
            <div className="pet-answers">
              <IconButton
                icon={Check}
                label={`Yes, this is ${pet.name || 'right'}`}
                onClick={() => void answer(one, { verdict: 'confirmed' }, 'Confirmed')}
              />
              <IconButton icon={PawPrint} label="Another pet" onClick={() => setMoved(one)} />
              <IconButton
                icon={X}
                label={`No, this is not ${name}`}
                onClick={() => void answer(one, { verdict: 'denied' }, 'Not a pet')}
              />
            </div>
          </li>
        ))}
      </ul>
      {moved && (
        <PetPicker
          title="Which pet is it?"
          exceptId={pet.id}
          newSpecies={moved.species}
          onPick={(other) => {
            setMoved(undefined);
            const change = { verdict: 'confirmed', petId: other.id } as const;
            void answer(moved, change, `This is ${nameOf(other)}`);
          }}
          onClose={() => setMoved(undefined)}
        />
      )}
    </section>
  );
}
