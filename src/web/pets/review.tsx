import { Check, PawPrint, X } from 'lucide-react';
import { IconButton } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';
import { fetchUndecided, type Pet } from './pet-data.ts';
import { PetPicture } from './pet-picture.tsx';
import { useAnswer } from './use-answer.tsx';

type Props = { pet: Pet; onChange: () => Promise<void> };

const SHOWN = 12;

/** What a machine took for this pet, to be answered one by one. */
export function Review({ pet, onChange }: Props) {
  const { data, reload } = useLoad(() => fetchUndecided(pet.id, SHOWN), pet.id);
  const again = () => Promise.all([reload(), onChange()]);
  const { answer, askWhich, dialog } = useAnswer(again, pet.id);
  if (!data || data.length === 0) return null;

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
              <IconButton icon={PawPrint} label="Another pet" onClick={() => askWhich(one)} />
              <IconButton
                icon={X}
                label={`No, this is not ${name}`}
                onClick={() => void answer(one, { verdict: 'denied' }, 'Not a pet')}
              />
            </div>
          </li>
        ))}
      </ul>
      {dialog}
    </section>
  );
}
