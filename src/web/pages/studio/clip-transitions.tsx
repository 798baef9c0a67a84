import { useId } from 'react';
import { replace } from './edits.ts';
import { useClipAsset } from './entry-block.tsx';
import type { Clip } from './film.ts';
import { getMovement, type Movement, MOVEMENTS, withMovement } from './movements.ts';
import { Fades } from './part-properties.tsx';
import { getTransition, setTransition, type Transition, TRANSITIONS } from './transitions.ts';
import type { Editor } from './use-editor.ts';
import { t } from '../../base/i18n.ts';

const TRANSITION_NAMES: Readonly<Record<Transition, string>> = {
  cut: t('No transition'),
  crossfade: t('Crossfade'),
  dip: t('Fade through the background'),
};

const MOVEMENT_NAMES: Readonly<Record<Movement, string>> = {
  none: t('No movement'),
  closer: t('Zoom in'),
  away: t('Zoom out'),
  left: t('To the left'),
  right: t('To the right'),
  up: t('Upwards'),
  down: t('Downwards'),
};

/** How a clip comes, goes, and moves while it shows. */
export function ClipTransitions({ editor: { film, edit }, clip }: { editor: Editor; clip: Clip }) {
  const { data: asset } = useClipAsset(clip);
  const transition = getTransition(film, clip);
  return (
    <>
      {transition && (
        <Choice
          label={t('Transition from the clip before')}
          value={transition}
          options={TRANSITIONS}
          names={TRANSITION_NAMES}
          onChange={(value) => edit((film) => setTransition(film, clip.id, value))}
        />
      )}
      <Fades edit={edit} part={clip} />
      {asset?.type === 'IMAGE' && (
        <Choice
          label={t('Movement')}
          value={getMovement(clip)}
          options={MOVEMENTS}
          names={MOVEMENT_NAMES}
          onChange={(value) => edit((film) => replace(film, withMovement(clip, value)))}
        />
      )}
    </>
  );
}

type ChoiceProps<T extends string> = {
  label: string;
  value: T;
  options: readonly T[];
  names: Readonly<Record<T, string>>;
  onChange: (value: T) => void;
};

function Choice<T extends string>({ label, value, options, names, onChange }: ChoiceProps<T>) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value as T)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {names[option]}
          </option>
        ))}
      </select>
    </div>
  );
}
