import type { JobCtx } from '../../../jobs/define.ts';
import type { RenderOptions } from '../../../media/images.ts';
import { getExifTool } from './media-tools.ts';
import type { AssetForRender } from './processing.store.ts';

/** Returns how the picture of an asset is rendered, with and without edits. */
export const createRenderOptions = (
  { paths, signal }: Pick<JobCtx, 'paths' | 'signal'>,
  { fileName, colorspace, orientation }: AssetForRender,
  more: Pick<RenderOptions, 'outputs' | 'tempDir'>,
) => ({
  ...more,
  fileName,
  exiftool: getExifTool(paths, { processes: 1 }),
  metadata: {
    colorspace: colorspace ?? undefined,
    orientation: Number(orientation) || undefined,
  },
  signal,
});
