import { useQuery } from '@tanstack/react-query';
import { Check, PawPrint, X } from 'lucide-react';
import { IconButton } from '../../ui/elements.tsx';
import type { Pet } from '../../data/pets/pet-data.ts';
import { PetPicture } from '../../parts/pets/pet-picture.tsx';
import { undecidedQuery } from '../../data/pets/queries.ts';
import { useAnswer } from '../../parts/pets/use-answer.tsx';
import styles from '../../parts/pets/pets.module.css';
import { t } from '../../base/i18n.ts';

/** Asks about each animal that a model took for this pet. */
export function Review({ pet }: { pet: Pet }) {
  const { data } = useQuery(undecidedQuery(pet.id));
  const { answer, choosePet, dialog } = useAnswer(pet.id);
  if (!data || data.length === 0) return null;

  const name = pet.name || t('a pet');
  return (
    <section data-part="pet-review" className={styles.petReview} aria-label={t('Is this right?')}>
      <header className="row-head">
        <h2>{pet.name ? t('Is this {name}?', { name: pet.name }) : t('Is this one of yours?')}</h2>
      </header>
      <ul>
        {data.map((one) => (
          <li key={one.id}>
            <PetPicture sight={one} size="preview" />
            <div className={styles.petAnswers}>
              <IconButton
                icon={Check}
                label={
                  pet.name ? t('Yes, this is {name}', { name: pet.name }) : t('Yes, this is right')
                }
                onClick={() => void answer(one, { verdict: 'confirmed' }, t('Confirmed'))}
              />
              <IconButton icon={PawPrint} label={t('Another pet')} onClick={() => choosePet(one)} />
              <IconButton
                icon={X}
                label={t('No, this is not {name}', { name })}
                onClick={() => void answer(one, { verdict: 'denied' }, t('Not a pet'))}
              />
            </div>
          </li>
        ))}
      </ul>
      {dialog}
    </section>
  );
}
