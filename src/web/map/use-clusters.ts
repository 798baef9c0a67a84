import { useEffect, useState } from 'react';
import { messageOf } from '../api.ts';
import { type Cluster, fetchClusters, type MapFilter, zoomFor } from './map-data.ts';
import { boxOf, type Size, type View } from './projection.ts';

const CALM_MS = 90;
/** Photos come and go meanwhile. */
const AGAIN_MS = 30_000;
/** Around what is seen, so that a little movement shows no empty edge. */
const MORE = 0.35;

export type Found = { clusters: readonly Cluster[]; error: string | undefined; isReady: boolean };

/** The clusters of a view; the old ones stay until the new ones have come. */
export function useClusters(
  view: View | undefined,
  size: Size,
  filter: MapFilter,
  /** Another number asks again. */
  turn: number,
): Found {
  const [found, setFound] = useState<Found>({ clusters: [], error: undefined, isReady: false });
  const key = JSON.stringify(filter);
  const zoom = view && zoomFor(view);
  const bbox = view && size.width > 0 ? boxOf(view, size, MORE) : undefined;
  useEffect(() => {
    if (bbox === undefined || zoom === undefined) return;
    const abort = new AbortController();
    const ask = () => {
      fetchClusters(bbox, zoom, JSON.parse(key) as MapFilter, abort.signal).then(
        ({ clusters }) => setFound({ clusters, error: undefined, isReady: true }),
        (error: unknown) => {
          if (!abort.signal.aborted) setFound((old) => ({ ...old, error: messageOf(error) }));
        },
      );
    };
    const timer = setTimeout(ask, CALM_MS);
    const again = setInterval(() => document.visibilityState === 'visible' && ask(), AGAIN_MS);
    return () => {
      clearTimeout(timer);
      clearInterval(again);
      abort.abort();
    };
  }, [bbox, zoom, key, turn]);
  return found;
}
