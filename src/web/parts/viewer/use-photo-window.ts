import { useCallback, useEffect, useEffectEvent, useReducer, useState } from 'react';
import { isUnreachable } from '../../base/api.ts';
import { checkConnection, whenOnline } from '../../base/connection.ts';
import { fetchAsset } from '../../data/assets/asset-actions.ts';
import type { Timeline } from '../../data/timeline/timeline-data.ts';
import {
  getLoadedPhoto,
  getWindowAround,
  type PhotoWindow,
  toSinglePhotoWindow,
} from '../../data/viewer/photo-window.ts';

/** So near the end of the window, the next one is loaded. */
const NEAR = 4;

/**
 * Returns the photos around the shown one and its index among them, -1 until they are loaded.
 * `onFailure` is called when they cannot be; a server that is not reached is waited for.
 */
export function usePhotoWindow(
  timeline: Timeline,
  id: string,
  onFailure: (error: unknown) => void,
): { photos: PhotoWindow | undefined; index: number; reload: () => Promise<void> } {
  const [photos, setPhotos] = useState<PhotoWindow>();
  const [turn, tryAgain] = useReducer((old: number) => old + 1, 0);
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
    const loaded = getLoadedPhoto(timeline, id);
    const asset = loaded ? undefined : fetchAsset(id);
    // By itself at first: its neighbours may take many requests.
    Promise.resolve(loaded ?? asset?.then(toSinglePhotoWindow)).then(
      (found) => {
        if (!isGone) setPhotos((old) => old ?? found);
      },
      () => undefined,
    );
    getWindowAround(timeline, id, asset).then(
      (found) => {
        if (!isGone) setPhotos(found);
      },
      async (error: unknown) => {
        if (isGone) return;
        if (!isUnreachable(error)) return fail(error);
        await checkConnection();
        await whenOnline();
        if (!isGone) tryAgain();
      },
    );
    return () => {
      isGone = true;
    };
  }, [timeline, id, isNearEnd, turn]);
  const reload = useCallback(async () => {
    const next = await getWindowAround(timeline, id).catch(() => undefined);
    if (next) setPhotos(next);
  }, [timeline, id]);
  return { photos, index, reload };
}
