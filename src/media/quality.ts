import { callImageChild } from './image-children.ts';

/** Technical quality of a picture as a thumbnail shows it. */
export type PictureQuality = {
  /** 0 (blurred) to 1 */
  readonly sharpness: number;
  /** 0 (black or burnt out) to 1 */
  readonly exposure: number;
};

/** Measures the quality of a thumbnail. Throws if it is unreadable. */
export const computeQuality = (path: string): Promise<PictureQuality> =>
  callImageChild({ op: 'quality', path });
