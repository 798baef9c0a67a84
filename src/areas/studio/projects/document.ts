import { add, compare, type Rational, toRational, ZERO } from '../../../core/rational.ts';
import { invalidField } from '../../../core/errors.ts';
import type { StudioClip, StudioDocument } from '../../../db/tables/studio.ts';

const MAX_FRAME_RATE = toRational({ numerator: 120, denominator: 1 });
/** Of a film: 12 hours. */
const MAX_END = toRational({ numerator: 43_200, denominator: 1 });

/** Throws 400 with the path of the first member that does not fit the others. */
export function requireSound(document: StudioDocument): void {
  const { width, height, frameRate, clips, titles = [] } = document;
  for (const [name, length] of Object.entries({ width, height }))
    if (length % 2 !== 0) throw invalidField(`document.${name}`, 'Must be even');
  const rate = toRational(frameRate);
  if (compare(rate, ZERO) <= 0 || compare(rate, MAX_FRAME_RATE) > 0)
    throw invalidField('document.frameRate', 'Must be above 0 and at most 120');
  for (const [index, title] of titles.entries()) requireSpan(`document.titles.${index}`, title);
  for (const [index, clip] of clips.entries()) requireClip(`document.clips.${index}`, clip);
  requireApart(clips);
}

type Span = Pick<StudioClip, 'start' | 'duration'>;

function requireSpan(path: string, { start, duration }: Span): void {
  if (duration.numerator === 0) throw invalidField(`${path}.duration`, 'Must be above 0');
  if (compare(getEnd({ start, duration }), MAX_END) > 0)
    throw invalidField(`${path}.duration`, 'Must end within 12 hours');
}

function requireClip(path: string, clip: StudioClip): void {
  requireSpan(path, clip);
  const { speed, crop } = clip;
  if (speed && (speed.numerator === 0 || speed.numerator / speed.denominator > 100))
    throw invalidField(`${path}.speed`, 'Must be above 0 and at most 100');
  if (!crop) return;
  for (const [length, from] of [['width', 'x'] as const, ['height', 'y'] as const]) {
    if (crop[length] <= 0) throw invalidField(`${path}.crop.${length}`, 'Must be above 0');
    // As numbers with a fraction are added.
    if (crop[from] + crop[length] > 1 + 1e-9)
      throw invalidField(`${path}.crop.${length}`, 'Must end within the picture');
  }
}

function requireApart(clips: readonly StudioClip[]): void {
  const ordered = clips
    .map((clip, index) => ({ clip, index, start: toRational(clip.start) }))
    .toSorted((a, b) => a.clip.track - b.clip.track || compare(a.start, b.start));
  for (const [at, { clip, index, start }] of ordered.entries()) {
    const before = ordered[at - 1];
    if (before?.clip.track === clip.track && compare(getEnd(before.clip), start) > 0)
      throw invalidField(
        `document.clips.${index}.start`,
        `Must not overlap document.clips.${before.index}, which is on the same track`,
      );
  }
}

export const getEnd = ({ start, duration }: Span): Rational =>
  add(toRational(start), toRational(duration));

/** Returns the ids of all assets that it shows. */
export const listAssetIds = ({ clips }: StudioDocument): string[] => [
  ...new Set(clips.map(({ assetId }) => assetId)),
];
