import { useQuery } from '@tanstack/react-query';
import { rational, toRational, toSeconds } from '../../../core/rational.ts';
import { changeSpeed, setVolume } from './edits.ts';
import { useClipAsset } from './entry-block.tsx';
import { getFadeIn, getFadeOut } from './fades.ts';
import { type MediaEntry, toNearestFrame } from './film.ts';
import { NumberField } from './number-field.tsx';
import { sourceQuery } from '../../data/studio/queries.ts';
import { setFades } from './transitions.ts';
import type { Editor } from './use-editor.ts';
import { t } from '../../base/i18n.ts';

// Fields that clips and sounds share.

type Props = { edit: Editor['edit']; part: MediaEntry };

export function Fades({ edit, part }: Props) {
  const [fadeIn, fadeOut] = [getFadeIn(part), getFadeOut(part)];
  return (
    <>
      <NumberField
        label={t('Fade in (seconds)')}
        value={toSeconds(fadeIn)}
        min={0}
        onChange={(value) =>
          edit((film) => setFades(film, part.id, toNearestFrame(film, value), fadeOut))
        }
      />
      <NumberField
        label={t('Fade out (seconds)')}
        value={toSeconds(fadeOut)}
        min={0}
        onChange={(value) =>
          edit((film) => setFades(film, part.id, fadeIn, toNearestFrame(film, value)))
        }
      />
    </>
  );
}

const HUNDRED = 100n;

export function Speed({ edit, part }: Props) {
  const speed = part.speed ? toSeconds(toRational(part.speed)) : 1;
  return (
    <NumberField
      label={t('Speed (percent)')}
      value={speed * 100}
      min={1}
      max={10_000}
      onChange={(value) =>
        edit((film) => changeSpeed(film, part.id, rational(BigInt(Math.round(value)), HUNDRED)))
      }
    />
  );
}

/** How loud a video is; nothing for a picture. */
export function Volume({ edit, part }: Props) {
  const { data: asset } = useClipAsset(part);
  const isVideo = asset?.type === 'VIDEO';
  const { data: source } = useQuery({ ...sourceQuery(part.assetId), enabled: isVideo });
  if (!isVideo) return null;
  if (source?.state === 'ready' && !source.waveform)
    return <p className="muted">{t('This video has no sound.')}</p>;
  const { volume = 1 } = part;
  return (
    <>
      <NumberField
        label={t('Volume (percent)')}
        value={volume * 100}
        min={0}
        max={400}
        onChange={(value) => edit((film) => setVolume(film, part, value / 100))}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={volume === 0}
          onChange={({ target }) => edit((film) => setVolume(film, part, target.checked ? 0 : 1))}
        />
        {t('Mute')}
      </label>
    </>
  );
}
