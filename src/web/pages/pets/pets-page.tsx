import { useQuery } from '@tanstack/react-query';
import { BadgeCheck, PawPrint, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Empty, Page } from '../../ui/elements.tsx';
import { NewPetDialog } from '../../parts/pets/new-pet.tsx';
import { getName, type Pet, getSpeciesName } from '../../data/pets/pet-data.ts';
import { PetPicture } from '../../parts/pets/pet-picture.tsx';
import { petsQuery } from '../../data/pets/queries.ts';
import peopleStyles from '../../parts/people/people.module.css';
import styles from '../../parts/pets/pets.module.css';
import { t } from '../../base/i18n.ts';

/** The animals on the photos, those that are pets of the house first. */
export function PetsPage() {
  const [, navigate] = useLocation();
  const { data, error } = useQuery(petsQuery());
  const [isNew, setNew] = useState(false);
  const actions = (
    <button className="button" onClick={() => setNew(true)}>
      <Plus size={16} aria-hidden /> {t('New pet')}
    </button>
  );
  return (
    <Page title={t('Pets')} actions={actions}>
      {error && <p role="alert">{error.message}</p>}
      {data?.length === 0 && (
        <Empty
          icon={PawPrint}
          title={t('No animals yet')}
          text={t('Cats, dogs and other animals in your photos are found in the background.')}
        />
      )}
      <ul data-part="face-grid" className={peopleStyles.faceGrid}>
        {data?.map((pet) => (
          <li key={pet.id}>
            <PetLink pet={pet} />
          </li>
        ))}
      </ul>
      {isNew && (
        <NewPetDialog onMade={({ id }) => navigate(`/pets/${id}`)} onClose={() => setNew(false)} />
      )}
    </Page>
  );
}

function PetLink({ pet }: { pet: Pet }) {
  return (
    <Link href={`/pets/${pet.id}`} className="face-link">
      <PetPicture sight={pet.cover} size="preview" />
      <span
        data-part="face-name"
        className={pet.name ? peopleStyles.faceName : `${peopleStyles.faceName} muted`}
      >
        {getName(pet)}
        {pet.isConfirmed && (
          <BadgeCheck className={styles.petMark} size={16} aria-label={t('confirmed')} />
        )}
      </span>
      <small>
        {pet.name ? `${getSpeciesName(pet)} · ` : ''}
        {t('{count, plural, one {# photo} other {# photos}}', { count: pet.assetCount })}
      </small>
    </Link>
  );
}
