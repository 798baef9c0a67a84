import type { Api } from './people.ts';

type NewFace = { readonly assetId: string; readonly personId: string; readonly x: number };

/** Adds the face of a person to a photo of 900 by 600 px. */
export const addFace = (api: Api, face: NewFace): Promise<void> =>
  api('POST', '/faces', {
    ...face,
    y: 100,
    width: 150,
    height: 200,
    imageWidth: 900,
    imageHeight: 600,
  });
