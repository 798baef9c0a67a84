import { setMusic } from './edits.ts';
import { MusicSelect } from '../../parts/studio/music-select.tsx';
import { NumberField } from './number-field.tsx';
import type { Editor } from './use-editor.ts';
import { t } from '../../base/i18n.ts';

/** The music below the whole film, and how loud it is. */
export function FilmMusic({ editor: { film, edit } }: { editor: Editor }) {
  const { music } = film;
  return (
    <>
      <MusicSelect
        value={music?.track ?? null}
        onChange={(track) =>
          edit((film) => setMusic(film, track === null ? undefined : { ...film.music, track }))
        }
      />
      {music && (
        <NumberField
          key={music.track}
          label={t('Volume (percent)')}
          value={(music.volume ?? 1) * 100}
          min={0}
          max={400}
          onChange={(value) => edit((film) => setMusic(film, { ...music, volume: value / 100 }))}
        />
      )}
    </>
  );
}
