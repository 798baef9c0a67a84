import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { NewPetDialog } from './new-pet.tsx';
import { getName, type Pet } from '../../data/pets/pet-data.ts';
import { PetPicture } from './pet-picture.tsx';
import { petsQuery } from '../../data/pets/queries.ts';
import styles from './pets.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  title: string;
  /** Left out of the list. */
  exceptId: string | null;
  /** A new one can be made, of this species. */
  newSpecies?: Pet['species'];
  onPick: (pet: Pet) => void;
  onClose: () => void;
};

/** Chooses a pet that is known, or a new one. */
export function PetPicker({ title, exceptId, newSpecies, onPick, onClose }: Props) {
  const { data, error } = useQuery(petsQuery());
  const [isNew, setNew] = useState(false);
  const pets = data?.filter(({ id }) => id !== exceptId) ?? [];
  if (isNew && newSpecies) {
    return <NewPetDialog species={newSpecies} onMade={onPick} onClose={onClose} />;
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {error && <p role="alert">{error.message}</p>}
      {data && pets.length === 0 && !newSpecies && (
        <p className="muted">{t('There is no other one to choose.')}</p>
      )}
      <ul className="values people-values">
        {newSpecies && (
          <li>
            <button className="value" onClick={() => setNew(true)}>
              <span data-part="pet-picture" className={styles.petPicture} aria-hidden>
                <Plus />
              </span>
              <span>{t('New pet')}</span>
            </button>
          </li>
        )}
        {pets.map((pet) => (
          <li key={pet.id}>
            <button className="value" onClick={() => onPick(pet)}>
              <PetPicture sight={pet.cover} size="thumbnail" />
              <span>{getName(pet)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
