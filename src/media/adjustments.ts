/** In percent of the strongest effect; 0 leaves the picture as it is. */
export const TONE_RANGE = { minimum: -100, maximum: 100 } as const;
/** In degrees, clockwise. */
export const STRAIGHTEN_RANGE = { minimum: -45, maximum: 45 } as const;

export const TONES = [
  'exposure',
  'contrast',
  'highlights',
  'shadows',
  'warmth',
  'tint',
  'saturation',
] as const;
export type Tone = (typeof TONES)[number];

/**
 * A picture is edited in this order: its crop, mirrors and turns (see `edits.ts`), then it is straightened
 * (see `straighten.ts`), then its light and colour change.
 */
export type Adjustments = Readonly<Record<Tone, number>> & { readonly straighten: number };

export const UNADJUSTED: Adjustments = {
  straighten: 0,
  exposure: 0,
  contrast: 0,
  highlights: 0,
  shadows: 0,
  warmth: 0,
  tint: 0,
  saturation: 0,
};

export const hasTones = (adjustments: Adjustments): boolean =>
  TONES.some((tone) => adjustments[tone] !== 0);

export const isUnadjusted = (adjustments: Adjustments): boolean =>
  adjustments.straighten === 0 && !hasTones(adjustments);
