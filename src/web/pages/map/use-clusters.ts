import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { usePollingWhileOffline } from '../../data/live-invalidation.ts';
import { type Cluster, type MapFilter, zoomFor } from '../../data/map/map-data.ts';
import { toBbox, type Size, type View } from '../../data/map/projection.ts';
import { clustersQuery } from '../../data/map/queries.ts';

const DEBOUNCE_MS = 90;
const POLLING_MS = 30_000;
/** Around what is seen, so that a little movement shows no empty edge. */
const OVERSCAN = 0.35;

export type FoundClusters = {
  clusters: readonly Cluster[];
  error: string | undefined;
  isReady: boolean;
};

type Area = { bbox: string; zoom: number };
const NONE: readonly Cluster[] = [];

/** Returns the clusters of a view; those of the last view until the new ones are here. */
export function useClusters(view: View | undefined, size: Size, filter: MapFilter): FoundClusters {
  const area = useSettledArea(view, size);
  const { data, error } = useQuery({
    ...clustersQuery(area?.bbox ?? '', area?.zoom ?? 0, filter),
    enabled: area !== undefined,
    refetchInterval: usePollingWhileOffline(POLLING_MS),
  });
  return {
    clusters: data?.clusters ?? NONE,
    error: error?.message,
    isReady: data !== undefined,
  };
}

/** Returns the area to load, once the view has come to rest. */
function useSettledArea(view: View | undefined, size: Size): Area | undefined {
  const [area, setArea] = useState<Area>();
  const zoom = view && zoomFor(view);
  const bbox = view && size.width > 0 ? toBbox(view, size, OVERSCAN) : undefined;
  useEffect(() => {
    if (bbox === undefined || zoom === undefined) return;
    const timer = setTimeout(() => setArea({ bbox, zoom }), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [bbox, zoom]);
  return area;
}
