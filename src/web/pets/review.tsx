import { useQuery } from '@tanstack/react-query';
import { Check, PawPrint, X } from 'lucide-react';
import { IconButton } from '../ui/parts.tsx';
import type { Pet } from './pet-data.ts';
import { PetPicture } from './pet-picture.tsx';
import { undecidedQuery } from './queries.ts';
import { useAnswer } from './use-answer.tsx';
import styles from './pets.module.css';

/** Asks about each animal that a model took for this pet. */
export function Review({ pet }: { pet: Pet }) {
  const { data } = useQuery(undecidedQuery(pet.id));
  const { answer, choosePet, dialog } = useAnswer(pet.id);
  if (!data || data.length === 0) return null;

  const name = pet.name || 'a pet';
  return (
    <section data-part="pet-review" className={styles.petReview} aria-label="Is this right?">
      <header className="row-head">
        <h2>{pet.name ? `Is this ${pet.name}?` : 'Is this one of yours?'}</h2>
      </header>
      <ul>
        {data.map((one) => (
          <li key={one.id}>
            <PetPicture sight={one} size="preview" />
            <div className={styles.petAnswers}>
              <IconButton
                icon={Check}
                label={`Yes, this is ${pet.name || 'right'}`}
                onClick={() => void answer(one, { verdict: 'confirmed' }, 'Confirmed')}
              />
              <IconButton icon={PawPrint} label="Another pet" onClick={() => choosePet(one)} />
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
