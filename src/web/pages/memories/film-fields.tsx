import { useId } from 'react';
import { MusicSelect } from '../../parts/studio/music-select.tsx';
import type { Memory } from '../../data/types.ts';
import {
  describeSound,
  type FilmFormat,
  type FilmOptions,
  formatFilmDate,
} from '../../data/memories/export-data.ts';
import styles from '../../parts/memories/exports.module.css';
import { t } from '../../base/i18n.ts';

const FORMATS: Readonly<Record<FilmFormat, string>> = {
  landscape: t('Landscape (16:9)'),
  portrait: t('Portrait (9:16)'),
  square: t('Square (1:1)'),
};

type Props = { memory: Memory; options: FilmOptions; onChange: (options: FilmOptions) => void };

/** The shape and the music of a film, its date, and what is heard in it. */
export function FilmFields({ memory, options, onChange }: Props) {
  const formatId = useId();
  const { format, music } = options;
  return (
    <fieldset className={styles.film}>
      <legend>{t('Film')}</legend>
      <div className="field">
        <label htmlFor={formatId}>{t('Format')}</label>
        <select
          id={formatId}
          value={format}
          onChange={({ target }) => onChange({ ...options, format: target.value as FilmFormat })}
        >
          {Object.entries(FORMATS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <MusicSelect value={music} onChange={(music) => onChange({ ...options, music })} />
      <p className="muted" role="status">
        {describeSound(memory, options)}
      </p>
      <p className="muted">
        {t('The film is dated {date}, like its memory.', { date: formatFilmDate(memory) })}
      </p>
    </fieldset>
  );
}
