import { type Adjustments, type Tone, TONES, UNADJUSTED } from '../../../media/adjustments.ts';
import { t } from '../../base/i18n.ts';

/** A look: values of light and colour. What is not named is 0. */
export type Preset = { name: string; tones: Partial<Record<Tone, number>> };

export const PRESETS: readonly Preset[] = [
  { name: t('No filter'), tones: {} },
  { name: t('Vivid'), tones: { contrast: 20, shadows: 15, saturation: 40 } },
  { name: t('Warm'), tones: { exposure: 4, warmth: 40, saturation: 8 } },
  { name: t('Cool'), tones: { contrast: 8, warmth: -40, saturation: -5 } },
  { name: t('Soft'), tones: { contrast: -25, highlights: -20, shadows: 25, saturation: -10 } },
  { name: t('Dramatic'), tones: { contrast: 50, highlights: -30, shadows: -15, saturation: -20 } },
  { name: t('Faded'), tones: { exposure: 8, contrast: -35, warmth: 15, saturation: -40 } },
  { name: t('Black and white'), tones: { contrast: 12, saturation: -100 } },
  { name: t('Strong black and white'), tones: { contrast: 65, shadows: -25, saturation: -100 } },
];

/** Replaces light and colour; a photo stays straightened. */
export const applyPreset = ({ straighten }: Adjustments, { tones }: Preset): Adjustments => ({
  ...UNADJUSTED,
  ...tones,
  straighten,
});

export const hasPreset = (adjustments: Adjustments, preset: Preset): boolean =>
  TONES.every((tone) => adjustments[tone] === (preset.tones[tone] ?? 0));
