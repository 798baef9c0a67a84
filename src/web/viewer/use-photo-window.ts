import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import type { Timeline } from '../timeline/timeline-data.ts';
import { getWindowAround, type PhotoWindow } from './photo-window.ts';

/** So near the end of the window, the next one is loaded. */
const NEAR = 4;

/**
 * Returns the photos around the shown one and its index among them, -1 until they are loaded.
 * `onFailure` is called when they cannot be.
 */
export function usePhotoWindow(
  timeline: Timeline,
  id: string,
  onFailure: (error: unknown) => void,
): { photos: PhotoWindow | undefined; index: number; reload: () => Promise<void> } {
  const [photos, setPhotos] = useState<PhotoWindow>();
  const fail = useEffectEvent(onFailure);
  const index = photos?.items.findIndex((item) => item.id === id) ?? -1;
  const isNearEnd =
    !photos ||
    index < 0 ||
    (index < NEAR && !photos.isStart) ||
    (index >= photos.items.length - NEAR && !photos.isEnd);
  useEffect(() => {
    if (!isNearEnd) return;
    let isGone = false;
    getWindowAround(timeline, id).then(
      (found) => {
        if (!isGone) setPhotos(found);
      },
      (error: unknown) => {
        if (!isGone) fail(error);
      },
    );
    return () => {
      isGone = true;
    };
  }, [timeline, id, isNearEnd]);
  const reload = useCallback(async () => {
    const next = await getWindowAround(timeline, id).catch(() => undefined);
    if (next) setPhotos(next);
  }, [timeline, id]);
  return { photos, index, reload };
}
