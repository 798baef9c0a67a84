import type { StudioClip } from '../../../db/tables/studio.ts';
import type { Size } from '../../../media/sizes.ts';
import { FULL_CROP } from '../projects/document.ts';

/** Where a picture goes, in pixels of the frame. */
export type Placement = {
  /** Part of the picture, in its own pixels. */
  readonly crop: Size & { readonly x: number; readonly y: number };
  /** Size of that part before it is turned. */
  readonly size: Size;
  /** Its middle. */
  readonly center: { readonly x: number; readonly y: number };
};

const atLeastOne = (length: number): number => Math.max(1, Math.round(length));

/** Returns where a clip with a picture of this size goes on a frame of this size. */
export function placeClip(clip: StudioClip, picture: Size, frame: Size): Placement {
  const { crop: part = FULL_CROP, fit = 'contain', scale = 1, x = 0, y = 0 } = clip;
  const width = Math.min(picture.width, atLeastOne(part.width * picture.width));
  const height = Math.min(picture.height, atLeastOne(part.height * picture.height));
  const crop = {
    width,
    height,
    x: Math.min(picture.width - width, Math.round(part.x * picture.width)),
    y: Math.min(picture.height - height, Math.round(part.y * picture.height)),
  };
  const ratios = [frame.width / width, frame.height / height];
  const factor = (fit === 'contain' ? Math.min(...ratios) : Math.max(...ratios)) * scale;
  return {
    crop,
    size: { width: atLeastOne(width * factor), height: atLeastOne(height * factor) },
    center: { x: frame.width * (0.5 + x), y: frame.height * (0.5 + y) },
  };
}
