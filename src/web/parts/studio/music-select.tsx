import { useId } from 'react';
import { MUSIC, type MusicTrack, toMusicTrack } from '../../data/studio/music.ts';
import { t } from '../../base/i18n.ts';

type Props = { value: MusicTrack | null; onChange: (value: MusicTrack | null) => void };

/** Chooses the music of a film, or none. */
export function MusicSelect({ value, onChange }: Props) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{t('Music')}</label>
      <select
        id={id}
        value={value ?? ''}
        onChange={({ target }) => onChange(toMusicTrack(target.value))}
      >
        <option value="">{t('No music')}</option>
        {Object.entries(MUSIC).map(([track, name]) => (
          <option key={track} value={track}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
