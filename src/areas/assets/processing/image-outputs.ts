import type { Db } from '../../../db/client.ts';
import { DEFAULT_OUTPUTS, type ImageOutputs } from '../../../media/sizes.ts';
import { DEFAULTS, readRecentConfig } from '../../system-config/index.ts';

/** Returns what is made of pictures, and whether pictures that browsers do not display get a full size. */
export async function readImageOutputs(
  db: Db,
): Promise<{ readonly outputs: ImageOutputs; readonly hasFullsize: boolean }> {
  const { thumbnail, preview, fullsize, colorspace } = (await readRecentConfig(db)).image;
  const { enabled, format, progressive } = fullsize;
  // Immich's default quality is that of a preview; ours is that of an edited picture.
  const quality =
    fullsize.quality === DEFAULTS.image.fullsize.quality
      ? DEFAULT_OUTPUTS.fullsize.quality
      : fullsize.quality;
  const keepsDisplayP3 = colorspace === 'p3';
  return {
    outputs: { thumbnail, preview, fullsize: { format, quality, progressive }, keepsDisplayP3 },
    hasFullsize: enabled,
  };
}
