import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useDebounced } from '../../ui/use-debounced.ts';
import type { FieldsProps } from './dialog.tsx';
import { placesQuery } from '../../data/metadata-edits/edit-data.ts';
import { PlaceMap } from './place-map.tsx';
import albumsStyles from '../../ui/collections.module.css';
import styles from './dialog.module.css';
import { t } from '../../base/i18n.ts';

const KINDS = [
  ['keep', t('Keep')],
  ['set', t('Choose a place')],
  ['copy', t('Same as another photo')],
  ['remove', t('Remove the place')],
] as const;
const SHOWN = 6;
const SEARCH_MS = 200;

export function PlaceFields({ draft, onChange }: FieldsProps) {
  return (
    <fieldset className={styles.part}>
      <legend>{t('Place')}</legend>
      <select
        aria-label={t('Place')}
        value={draft.place}
        onChange={(event) =>
          onChange({ place: KINDS.find(([kind]) => kind === event.target.value)?.[0] ?? 'keep' })
        }
      >
        {KINDS.map(([kind, label]) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
      </select>
      {draft.place === 'set' && (
        <>
          <PlaceSearch draft={draft} onChange={onChange} />
          <PlaceMap position={draft.position} onChoose={(position) => onChange({ position })} />
        </>
      )}
    </fieldset>
  );
}

/** Towns by name, from the server's own table. */
function PlaceSearch({ onChange }: FieldsProps) {
  const [text, setText] = useState('');
  const name = useDebounced(text.trim(), SEARCH_MS);
  const { data: found, error } = useQuery(placesQuery(name));
  return (
    <div className="field">
      <label htmlFor="metadata-place">{t('Find a town')}</label>
      <input
        id="metadata-place"
        type="search"
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault();
        }}
      />
      {error && <p role="alert">{error.message}</p>}
      {text.trim() !== '' && found && (
        <ul className={albumsStyles.picker} aria-label={t('Towns')}>
          {found.slice(0, SHOWN).map((place) => (
            <li key={`${place.latitude} ${place.longitude}`}>
              <button
                type="button"
                className={albumsStyles.pickerEntry}
                onClick={() => {
                  const { latitude, longitude } = place;
                  onChange({ position: { latitude, longitude } });
                  setText('');
                }}
              >
                <span>{[place.name, place.admin1name].filter(Boolean).join(', ')}</span>
              </button>
            </li>
          ))}
          {found.length === 0 && <li className="muted">{t('No town has this name.')}</li>}
        </ul>
      )}
    </div>
  );
}
