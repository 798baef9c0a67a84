import { useQuery } from '@tanstack/react-query';
import { Check, PawPrint, X } from 'lucide-react';
import { Link } from 'wouter';
import type { Asset } from '../../data/types.ts';
import { Menu, type MenuEntry } from '../../ui/menu.tsx';
import { getSpeciesName, type PetObservation } from '../../data/pets/pet-data.ts';
import { photoPetsQuery } from '../../data/pets/queries.ts';
import { useAnswer } from './use-answer.tsx';
import infoPanelStyles from '../../ui/info-panel.module.css';
import styles from './pets.module.css';
import { getLanguage, t } from '../../base/i18n.ts';

/** Returns a noun as it stands within a sentence: German keeps its capital. */
const toNounInSentence = (noun: string): string =>
  getLanguage() === 'de' ? noun : noun.toLocaleLowerCase();

/** The animals on a photo, with ways to confirm, correct or deny each. */
export function PhotoPets({ asset }: { asset: Asset }) {
  const { data } = useQuery(photoPetsQuery(asset.id));
  const { answer, choosePet, dialog } = useAnswer(null);
  if (!data || data.observations.length === 0) return null;
  const entriesFor = (one: PetObservation): MenuEntry[] => {
    const entries: MenuEntry[] = [
      { icon: PawPrint, label: t('Which pet is it?'), run: () => choosePet(one) },
    ];
    if (one.verdict !== 'confirmed' && one.petId) {
      const confirm = () => void answer(one, { verdict: 'confirmed' }, t('Confirmed'));
      entries.unshift({ icon: Check, label: t('This is right'), run: confirm });
    }
    if (one.verdict !== 'denied') {
      const deny = () => void answer(one, { verdict: 'denied' }, t('Not a pet'));
      entries.push({ icon: X, label: t('Not a pet'), run: deny });
    }
    return entries;
  };
  return (
    <section className={infoPanelStyles.infoSection}>
      <header>
        <h3>{t('Pets')}</h3>
      </header>
      <ul className="chips">
        {data.observations.map((one) => {
          const pet = data.pets.find(({ id }) => id === one.petId);
          const name = pet?.name || getSpeciesName(one);
          return (
            <li
              key={one.id}
              data-state={one.petId ? undefined : 'off'}
              className={one.petId ? 'chip' : `chip ${styles.off}`}
            >
              <PawPrint size={14} aria-hidden />
              {one.petId ? (
                <Link href={`/pets/${one.petId}`}>{name}</Link>
              ) : (
                <span>{t('No {species}', { species: toNounInSentence(getSpeciesName(one)) })}</span>
              )}
              {one.verdict === 'confirmed' && <Check size={14} aria-label={t('confirmed')} />}
              <Menu
                label={t('About {name}', { name })}
                entries={entriesFor(one)}
                className={styles.chipMenu}
              />
            </li>
          );
        })}
      </ul>
      {dialog}
    </section>
  );
}
