import { useMemo } from 'react';
import { type Adjustments, UNADJUSTED } from '../../../media/adjustments.ts';
import type { Edits } from '../../data/edits/edit-data.ts';
import { getShownSize } from './draw.ts';
import { PictureCanvas } from './picture-canvas.tsx';
import { applyPreset, hasPreset, PRESETS } from './presets.ts';
import styles from './edits.module.css';
import { t } from '../../base/i18n.ts';

/** The height of the small pictures, in CSS px, and the widest that one may be. */
const HEIGHT = 64;
const MAX_WIDTH = 112;

type Props = {
  image: HTMLImageElement;
  edits: Edits;
  adjustments: Adjustments;
  onChange: (adjustments: Adjustments) => void;
};

/** The photo in each of the looks that can be chosen. */
export function FilterStrip({ image, edits, adjustments, onChange }: Props) {
  const { straighten } = adjustments;
  const size = useMemo(() => {
    const natural = { width: image.naturalWidth, height: image.naturalHeight };
    const shown = getShownSize({ edits, straighten }, natural);
    return { width: Math.min(MAX_WIDTH, (shown.width / shown.height) * HEIGHT), height: HEIGHT };
  }, [image, edits, straighten]);
  const looks = useMemo(
    () => PRESETS.map((preset) => applyPreset({ ...UNADJUSTED, straighten }, preset)),
    [straighten],
  );
  return (
    <div className={styles.filters} role="group" aria-label={t('Photo filters')}>
      {PRESETS.map((preset, index) => (
        <button
          key={preset.name}
          type="button"
          className={styles.filter}
          aria-pressed={hasPreset(adjustments, preset)}
          onClick={() => onChange(applyPreset(adjustments, preset))}
        >
          <PictureCanvas
            image={image}
            edits={edits}
            adjustments={looks[index] ?? UNADJUSTED}
            size={size}
          />
          <span>{preset.name}</span>
        </button>
      ))}
    </div>
  );
}
