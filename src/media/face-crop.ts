import { callImageChild } from './image-children.ts';

export type FaceBox = {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
};

/** A square picture of a face as WebP. The box is in fractions of the picture as displayed. */
export const cropFace = async (path: string, box: FaceBox): Promise<Uint8Array> =>
  (await callImageChild({ op: 'cropFace', path, box })).bytes;
