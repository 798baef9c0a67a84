import { add, compare, type Rational, toRational, ZERO } from '../../../core/rational.ts';
import { invalidField } from '../../../core/errors.ts';
import type {
  StudioClip,
  StudioCrop,
  StudioDocument,
  StudioSound,
  StudioTitle,
} from '../../../db/tables/studio.ts';

const MAX_FRAME_RATE = toRational({ numerator: 120, denominator: 1 });
/** The greatest length of a film: 12 hours. */
const MAX_END = toRational({ numerator: 43_200, denominator: 1 });

/** The crop of a clip that has none. */
export const FULL_CROP: StudioCrop = { x: 0, y: 0, width: 1, height: 1 };
const NONE = { numerator: 0, denominator: 1 };
/** As its fractions are rounded. */
const SIMILARITY = 1e-3;

/** Throws 400 with the path of the first member that does not fit the others. */
export function requireConsistent(document: StudioDocument): void {
  const { width, height, frameRate, clips, titles = [], sounds = [] } = document;
  for (const [name, length] of Object.entries({ width, height }))
    if (length % 2 !== 0) throw invalidField(`document.${name}`, 'Must be even');
  const rate = toRational(frameRate);
  if (compare(rate, ZERO) <= 0 || compare(rate, MAX_FRAME_RATE) > 0)
    throw invalidField('document.frameRate', 'Must be above 0 and at most 120');
  for (const [index, title] of titles.entries()) requireTitle(`document.titles.${index}`, title);
  for (const [index, sound] of sounds.entries()) requirePart(`document.sounds.${index}`, sound);
  for (const [index, clip] of clips.entries()) requireClip(`document.clips.${index}`, clip);
  requireApart(clips);
}

type Span = Pick<StudioClip, 'start' | 'duration'>;

function requireSpan(path: string, { start, duration }: Span): void {
  if (duration.numerator === 0) throw invalidField(`${path}.duration`, 'Must be above 0');
  if (compare(getEnd({ start, duration }), MAX_END) > 0)
    throw invalidField(`${path}.duration`, 'Must end within 12 hours');
}

function requireTitle(path: string, title: StudioTitle): void {
  requireSpan(path, title);
  requireFades(path, title);
}

function requirePart(path: string, part: StudioSound): void {
  requireSpan(path, part);
  const { speed } = part;
  if (speed && (speed.numerator === 0 || speed.numerator / speed.denominator > 100))
    throw invalidField(`${path}.speed`, 'Must be above 0 and at most 100');
  requireFades(path, part);
}

type Fading = Pick<StudioTitle, 'duration' | 'fadeIn' | 'fadeOut'>;

function requireFades(path: string, { duration, fadeIn = NONE, fadeOut = NONE }: Fading): void {
  if (compare(toRational(fadeIn), toRational(duration)) > 0)
    throw invalidField(`${path}.fadeIn`, 'Must end within the clip');
  if (compare(add(toRational(fadeIn), toRational(fadeOut)), toRational(duration)) > 0)
    throw invalidField(`${path}.fadeOut`, 'Must begin after the fade-in');
}

function requireClip(path: string, clip: StudioClip): void {
  requirePart(path, clip);
  const { crop = FULL_CROP, cropTo } = clip;
  requireCrop(`${path}.crop`, crop);
  if (!cropTo) return;
  requireCrop(`${path}.cropTo`, cropTo);
  const isSimilar = Math.abs(cropTo.width * crop.height - cropTo.height * crop.width) <= SIMILARITY;
  if (!isSimilar) throw invalidField(`${path}.cropTo.height`, 'Must have the shape of the crop');
}

function requireCrop(path: string, crop: StudioCrop): void {
  for (const [length, from] of [['width', 'x'] as const, ['height', 'y'] as const]) {
    if (crop[length] <= 0) throw invalidField(`${path}.${length}`, 'Must be above 0');
    // As numbers with a fraction are added.
    if (crop[from] + crop[length] > 1 + 1e-9)
      throw invalidField(`${path}.${length}`, 'Must end within the picture');
  }
}

function requireApart(clips: readonly StudioClip[]): void {
  const ordered = clips
    .map((clip, index) => ({ clip, index, start: toRational(clip.start) }))
    .toSorted((a, b) => a.clip.track - b.clip.track || compare(a.start, b.start));
  for (const [at, { clip, index, start }] of ordered.entries()) {
    const [oldest, before] = [ordered[at - 2], ordered[at - 1]];
    if (before?.clip.track !== clip.track) continue;
    const fadedIn = add(start, toRational(clip.fadeIn ?? NONE));
    const third = oldest?.clip.track === clip.track && compare(getEnd(oldest.clip), start) > 0;
    const end = getEnd(before.clip);
    if (third || compare(end, fadedIn) > 0 || compare(end, getEnd(clip)) > 0)
      throw invalidField(
        `document.clips.${index}.start`,
        `Must not overlap document.clips.${third ? oldest.index : before.index}, which is on the same track, ` +
          'except while it fades in',
      );
  }
}

export const getEnd = ({ start, duration }: Span): Rational =>
  add(toRational(start), toRational(duration));

/** Returns the ids of all assets that it shows or plays. */
export const listAssetIds = ({ clips, sounds = [] }: StudioDocument): string[] => [
  ...new Set([...clips, ...sounds].map(({ assetId }) => assetId)),
];
