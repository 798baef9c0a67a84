import { useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import type { Chosen } from '../../data/map/map-data.ts';
import styles from '../../parts/map/map.module.css';
import { t } from '../../base/i18n.ts';

type Props = { chosen: Chosen; onChange: (chosen: Chosen) => void; onClose: () => void };

const FLAGS = [
  ['favorites', t('Only favorites')],
  ['archived', t('Also the archive')],
  ['partners', t('Photos of partners')],
  ['albums', t('Photos of others in albums')],
] as const;
const EVERYTHING: Omit<Chosen, 'album'> = {
  favorites: false,
  archived: false,
  partners: true,
  albums: false,
  from: '',
  to: '',
};

/** Which photos are on the map; the map behind follows at once. */
export function FilterDialog({ chosen, onChange, onClose }: Props) {
  const [days, setDays] = useState({ from: chosen.from, to: chosen.to });
  // An album shows its archived photos and those of others anyway.
  const flags = chosen.album ? FLAGS.filter(([name]) => name === 'favorites') : FLAGS;
  const isTurned = Boolean(days.from && days.to && days.from > days.to);
  const setDay = (name: 'from' | 'to', value: string) => {
    const next = { ...days, [name]: value };
    setDays(next);
    if (!(next.from && next.to && next.from > next.to)) onChange({ ...chosen, ...next });
  };
  return (
    <Dialog title={t('On the map')} onClose={onClose}>
      <div className="form">
        {flags.map(([name, label]) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={chosen[name]}
              disabled={chosen.favorites && (name === 'partners' || name === 'albums')}
              onChange={(event) => onChange({ ...chosen, [name]: event.target.checked })}
            />
            {label}
          </label>
        ))}
        <div className={styles.mapDays}>
          {(['from', 'to'] as const).map((name) => (
            <div key={name} className="field">
              <label htmlFor={`map-${name}`}>
                {name === 'from' ? t('Taken from') : t('until')}
              </label>
              <input
                id={`map-${name}`}
                type="date"
                value={days[name]}
                onChange={(event) => setDay(name, event.target.value)}
              />
            </div>
          ))}
        </div>
        {isTurned && (
          <p className="form-error" role="alert">
            {t('The first day comes after the last one.')}
          </p>
        )}
        <div className="form-actions">
          <button
            className="button"
            onClick={() => {
              setDays({ from: '', to: '' });
              onChange({ ...EVERYTHING, album: chosen.album });
            }}
          >
            {t('Show everything')}
          </button>
          <button className="button primary" onClick={onClose}>
            {t('Done')}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
