import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { getUneditedUrl } from '../pictures.ts';
import type { Asset } from '../types.ts';
import { fetchSteps, type Size, toEdits } from './edit-data.ts';

/** The size of a photo before its edits, and these edits. */
export const editsQuery = (asset: Asset) =>
  queryOptions({
    queryKey: [...keys.edits, asset.id],
    queryFn: async () => {
      const size = await measureUnedited(asset);
      const steps = asset.isEdited ? await fetchSteps(asset.id) : [];
      return { size, edits: toEdits(steps, size) };
    },
    staleTime: Infinity,
    gcTime: 0,
  });

/** In pixels of the original, upright: of an edited photo the API tells only the edited size. */
async function measureUnedited(asset: Asset): Promise<Size> {
  const { width, height, exifInfo, isEdited } = asset;
  if (!isEdited && width && height) return { width, height };
  const image = new Image();
  image.src = getUneditedUrl(asset.id);
  await image.decode();
  const [a, b] = [exifInfo?.exifImageWidth, exifInfo?.exifImageHeight];
  if (!a || !b) return { width: image.naturalWidth, height: image.naturalHeight };
  const isWide = image.naturalWidth >= image.naturalHeight;
  return {
    width: isWide ? Math.max(a, b) : Math.min(a, b),
    height: isWide ? Math.min(a, b) : Math.max(a, b),
  };
}
