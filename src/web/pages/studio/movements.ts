import type { Clip } from './film.ts';

export type Crop = NonNullable<Clip['crop']>;

/** The crop of a clip that has none. */
export const FULL_CROP: Crop = { x: 0, y: 0, width: 1, height: 1 };

/** Returns the crop on the way from one to the other. */
export function mixCrops(from: Crop, to: Crop, share: number): Crop {
  const mix = (a: number, b: number) => a + (b - a) * share;
  return {
    x: mix(from.x, to.x),
    y: mix(from.y, to.y),
    width: mix(from.width, to.width),
    height: mix(from.height, to.height),
  };
}

/** Where the view of a picture goes while it shows. */
export const MOVEMENTS = ['none', 'closer', 'away', 'left', 'right', 'up', 'down'] as const;
export type Movement = (typeof MOVEMENTS)[number];

export function getMovement({ crop = FULL_CROP, cropTo = crop }: Clip): Movement {
  const zoom = cropTo.width - crop.width;
  const [across, down] = [cropTo.x - crop.x, cropTo.y - crop.y];
  if (Math.abs(zoom) > NEARLY) return zoom < 0 ? 'closer' : 'away';
  if (Math.max(Math.abs(across), Math.abs(down)) <= NEARLY) return 'none';
  if (Math.abs(across) >= Math.abs(down)) return across < 0 ? 'left' : 'right';
  return down < 0 ? 'up' : 'down';
}

const NEARLY = 1e-6;
/** The sides of the nearest view, as a share of the view. */
const NEAR = 0.8;

/** Where the near view lies in the room that it has, from 0 to 1, at the start and at the end. */
const WAYS: Readonly<Record<'left' | 'right' | 'up' | 'down', readonly [Place, Place]>> = {
  left: [
    { x: 1, y: 0.5 },
    { x: 0, y: 0.5 },
  ],
  right: [
    { x: 0, y: 0.5 },
    { x: 1, y: 0.5 },
  ],
  up: [
    { x: 0.5, y: 1 },
    { x: 0.5, y: 0 },
  ],
  down: [
    { x: 0.5, y: 0 },
    { x: 0.5, y: 1 },
  ],
};
type Place = { readonly x: number; readonly y: number };

/** Returns the clip with another movement over what it shows. */
export function withMovement(clip: Clip, movement: Movement): Clip {
  const { crop: _crop, cropTo: _cropTo, ...rest } = clip;
  const view = getView(clip);
  const middle = placeNear(view, { x: 0.5, y: 0.5 });
  const isWhole = view.width === 1 && view.height === 1;
  if (movement === 'none') return isWhole ? rest : { ...rest, crop: view };
  if (movement === 'closer') return { ...rest, crop: view, cropTo: middle };
  if (movement === 'away') return { ...rest, crop: middle, cropTo: view };
  const [from, to] = WAYS[movement];
  return { ...rest, crop: placeNear(view, from), cropTo: placeNear(view, to) };
}

/** Returns the part of a picture over which a clip moves. */
function getView(clip: Clip): Crop {
  const { crop = FULL_CROP, cropTo = crop } = clip;
  const movement = getMovement(clip);
  if (movement === 'none' || movement === 'away') return cropTo;
  return movement === 'closer' ? crop : enlarge(mixCrops(crop, cropTo, 0.5));
}

function enlarge({ x, y, width, height }: Crop): Crop {
  const across = expand(x, width);
  const down = expand(y, height);
  return { x: across.start, y: down.start, width: across.length, height: down.length };
}

function expand(start: number, length: number): { start: number; length: number } {
  // As its fraction is rounded, the whole shall be 1 again.
  const whole = Math.min(1, Math.round((length / NEAR) * 1e6) / 1e6);
  return { start: Math.min(1 - whole, Math.max(0, start - (whole - length) / 2)), length: whole };
}

const placeNear = ({ x, y, width, height }: Crop, place: Place): Crop => ({
  x: Math.min(x + place.x * (1 - NEAR) * width, 1 - NEAR * width),
  y: Math.min(y + place.y * (1 - NEAR) * height, 1 - NEAR * height),
  width: NEAR * width,
  height: NEAR * height,
});
