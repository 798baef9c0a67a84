import { FlipHorizontal2, RotateCcw, RotateCw } from 'lucide-react';
import { STRAIGHTEN_RANGE, type Tone, TONE_RANGE } from '../../../media/adjustments.ts';
import { IconButton } from '../../ui/elements.tsx';
import { type PictureState, turnAngle } from '../../data/edits/edit-data.ts';
import { FilterStrip } from './filter-strip.tsx';
import { centerCut } from './geometry.ts';
import { Slider } from './slider.tsx';
import type { Tab } from './tab-list.tsx';
import styles from './edits.module.css';
import { t } from '../../base/i18n.ts';

const SHAPES = [
  [t('Free'), undefined],
  ['1 : 1', 1],
  ['4 : 3', 4 / 3],
  ['3 : 2', 3 / 2],
  ['16 : 9', 16 / 9],
] as const;

const TONE_NAMES: Record<Tone, string> = {
  exposure: t('Exposure'),
  contrast: t('Contrast'),
  highlights: t('Highlights'),
  shadows: t('Shadows'),
  warmth: t('Warmth'),
  tint: t('Tint'),
  saturation: t('Saturation'),
};
const BRIGHTNESS = ['exposure', 'contrast', 'highlights', 'shadows'] as const;
const COLOUR = ['warmth', 'tint', 'saturation'] as const;

/** The step of the angle, in degrees. */
const ANGLE_STEP = 0.1;

export type Change = Partial<Pick<PictureState, 'edits' | 'adjustments'>>;

type Props = {
  tab: Tab;
  image: HTMLImageElement;
  state: PictureState;
  onChange: (change: Change) => void;
};

/** The tools of the selected tab. */
export function EditPanel({ tab, image, state, onChange }: Props) {
  const { edits, adjustments } = state;
  const set = (name: keyof typeof adjustments, value: number) =>
    onChange({ adjustments: { ...adjustments, [name]: value } });
  switch (tab) {
    case 'crop':
      return <CropTools state={state} onChange={onChange} />;
    case 'straighten':
      return (
        <Slider
          name={t('Angle')}
          value={adjustments.straighten}
          range={STRAIGHTEN_RANGE}
          step={ANGLE_STEP}
          unit="°"
          onChange={(value) => set('straighten', value)}
        />
      );
    case 'brightness':
    case 'colour':
      return (tab === 'colour' ? COLOUR : BRIGHTNESS).map((tone) => (
        <Slider
          key={tone}
          name={TONE_NAMES[tone]}
          value={adjustments[tone]}
          range={TONE_RANGE}
          onChange={(value) => set(tone, value)}
        />
      ));
    case 'filters':
      return (
        <FilterStrip
          image={image}
          edits={edits}
          adjustments={adjustments}
          onChange={(next) => onChange({ adjustments: next })}
        />
      );
  }
}

/** Returns what a turn as it is seen does to a picture that may be mirrored. */
export const turnState = ({ edits }: PictureState, by: 90 | -90): Change => ({
  edits: { ...edits, angle: turnAngle(edits.angle, edits.isMirrored ? -by : by) },
});

/** A picture that leans to the left leans to the right in a mirror. */
const mirrorState = ({ edits, adjustments }: PictureState): Change => ({
  edits: { ...edits, isMirrored: !edits.isMirrored },
  adjustments: { ...adjustments, straighten: 0 - adjustments.straighten },
});

function CropTools({ state, onChange }: Pick<Props, 'state' | 'onChange'>) {
  const { edits, size } = state;
  return (
    <div className={styles.editTools}>
      <IconButton
        icon={RotateCcw}
        label={t('Rotate left')}
        aria-keyshortcuts="Shift+R"
        onClick={() => onChange(turnState(state, -90))}
      />
      <IconButton
        icon={RotateCw}
        label={t('Rotate right')}
        aria-keyshortcuts="R"
        onClick={() => onChange(turnState(state, 90))}
      />
      <IconButton
        icon={FlipHorizontal2}
        label={t('Mirror')}
        isOn={edits.isMirrored}
        onClick={() => onChange(mirrorState(state))}
      />
      <span className={styles.editShapes} role="group" aria-label={t('Aspect ratio')}>
        {SHAPES.map(([name, shape]) => (
          <button
            key={name}
            className="button small"
            onClick={() =>
              onChange({
                edits: {
                  ...edits,
                  cut:
                    shape === undefined
                      ? undefined
                      : centerCut(shape, size.width / size.height, edits.angle),
                },
              })
            }
          >
            {name}
          </button>
        ))}
      </span>
    </div>
  );
}
