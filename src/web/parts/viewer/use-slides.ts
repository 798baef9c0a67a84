import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Slide } from 'yet-another-react-lightbox';
import { serverFeaturesQuery } from '../../data/server/queries.ts';
import { useStore } from '../../base/store.ts';
import { type PhotoWindow, toPhotoItem } from '../../data/viewer/photo-window.ts';
import { viewerPreferences } from './preferences.ts';
import { toSlide } from './slides.ts';
import type { ShownAsset } from './use-shown-asset.ts';

/**
 * A photo out of a stack is shown in the place of the one that stands for it. A photo whose size is
 * known can be zoomed to its own pixels.
 */
export function useSlides(
  photos: PhotoWindow | undefined,
  id: string,
  { asset, member }: ShownAsset,
): readonly Slide[] {
  const isFull = useStore(viewerPreferences, (preferences) => preferences.isFullSize);
  const { data: features } = useQuery(serverFeaturesQuery());
  const isStreamed = features?.realtimeTranscoding ?? false;
  const slides = useMemo(
    () => photos?.items.map((item) => toSlide(item, { isFull, isStreamed })) ?? [],
    [photos, isFull, isStreamed],
  );
  const side = asset ? Math.max(asset.width ?? 0, asset.height ?? 0) : 0;
  return useMemo(() => {
    const item = member ? toPhotoItem(member) : photos?.items.find((one) => one.id === id);
    if (!item || side === 0) return slides;
    const shown = toSlide(item, { side, isFull, isStreamed });
    return slides.map((slide) => (slide.assetId === id ? shown : slide));
  }, [slides, photos, id, member, side, isFull, isStreamed]);
}
