import { useQuery } from '@tanstack/react-query';
import { BadgeCheck, ImageOff, Merge, PawPrint } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ResultsView } from '../../parts/results/results-view.tsx';
import { attempt, attemptUndoable } from '../../ui/toast.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { NameField } from '../../ui/name-field.tsx';
import { Empty, IconButton } from '../../ui/elements.tsx';
import {
  changePet,
  mergePets,
  getName,
  type Pet,
  petResults,
  type PetUpdate,
  getSpeciesName,
} from '../../data/pets/pet-data.ts';
import { PetPicture } from '../../parts/pets/pet-picture.tsx';
import { PetPicker } from '../../parts/pets/picker.tsx';
import { petQuery } from '../../data/pets/queries.ts';
import { Review } from './review.tsx';
import timelineStyles from '../../parts/grid/timeline.module.css';
import peopleStyles from '../../parts/people/people.module.css';
import albumsStyles from '../../ui/collections.module.css';
import styles from '../../parts/pets/pets.module.css';
import { t } from '../../base/i18n.ts';

/** One pet, what was taken for it, and the photos of it. */
export function PetPage({ petId, photoId }: { petId: string; photoId: string | undefined }) {
  const [, navigate] = useLocation();
  const { data: pet, error } = useQuery(petQuery(petId));
  const results = useMemo(() => petResults(petId), [petId]);
  useEffect(() => {
    if (pet) document.title = `${getName(pet)} · Safelight`;
  }, [pet]);
  if (error && !pet) {
    return (
      <Empty icon={PawPrint} title={t('This pet cannot be shown')} text={error.message}>
        <Link href="/pets" className="button">
          {t('To all pets')}
        </Link>
      </Empty>
    );
  }
  return (
    <ResultsView
      results={results}
      daysBy="takenAt"
      title={pet ? getName(pet) : t('Pet')}
      head={
        pet ? (
          <>
            <PetHead pet={pet} />
            <Review pet={pet} />
          </>
        ) : (
          <div className="person-head" />
        )
      }
      note={
        <>
          <h2>{t('Photos')}</h2>
          <span data-part="month-count" className={timelineStyles.monthCount}>
            {pet && t('{count, plural, one {# item} other {# items}}', { count: pet.assetCount })}
          </span>
        </>
      }
      photoId={photoId}
      toHref={(id) => `/pets/${petId}${id ? `/photos/${id}` : ''}`}
      navigate={navigate}
      empty={
        <Empty
          icon={ImageOff}
          title={t('No photos')}
          text={t('Say on the page of another pet, or on a photo, which one this is.')}
        />
      }
    />
  );
}

function PetHead({ pet }: { pet: Pet }) {
  const [isMerging, setMerging] = useState(false);
  const [chosen, setChosen] = useState<Pet>();
  const [, navigate] = useLocation();
  const change = (next: PetUpdate) => changePet(pet.id, next);
  /** A pet with a name stays, of two without the one that is looked at. */
  const merge = async (other: Pet) => {
    const [kept, gone] = !pet.name && other.name ? [other, pet] : [pet, other];
    if (!(await attempt(() => mergePets([kept.id, gone.id]), t('Merged into one pet')))) return;
    if (kept === other) navigate(`/pets/${other.id}`);
  };
  return (
    <header className="person-head">
      <PetPicture sight={pet.cover} size="preview" />
      <div className={peopleStyles.personFacts}>
        <NameField
          key={pet.id}
          name={pet.name}
          placeholder={t('What is its name?')}
          onSave={async (name) => {
            await attempt(() => change({ name, ...(name && { isConfirmed: true }) }));
          }}
        />
        <p className="muted">{getSpeciesName(pet)}</p>
        <div className={albumsStyles.albumBar}>
          <IconButton
            icon={BadgeCheck}
            label={pet.isConfirmed ? t('Not one of your pets') : t('One of your pets')}
            word
            aria-pressed={pet.isConfirmed}
            className={pet.isConfirmed ? styles.petConfirmed : ''}
            onClick={() =>
              void attemptUndoable(
                () => change({ isConfirmed: !pet.isConfirmed }),
                pet.isConfirmed ? t('No longer one of your pets') : t('One of your pets'),
                () => change({ isConfirmed: pet.isConfirmed }),
              )
            }
          />
          <IconButton
            icon={Merge}
            label={t('Merge with another')}
            word
            onClick={() => setMerging(true)}
          />
        </div>
      </div>
      {isMerging && (
        <PetPicker
          title={t('Merge {pet} with', { pet: getName(pet) })}
          exceptId={pet.id}
          onPick={(other) => {
            setMerging(false);
            setChosen(other);
          }}
          onClose={() => setMerging(false)}
        />
      )}
      {chosen && (
        <Confirm
          title={t('Merge {pet} with {other}?', { pet: getName(pet), other: getName(chosen) })}
          text={t('They become one pet with the photos of both. This cannot be undone.')}
          action={t('Merge')}
          onClose={() => setChosen(undefined)}
          onConfirm={() => void merge(chosen)}
        />
      )}
    </header>
  );
}
