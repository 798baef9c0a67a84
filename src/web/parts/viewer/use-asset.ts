import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Asset } from '../../data/types.ts';
import { assetQuery } from '../../data/viewer/queries.ts';

const SETTLE_MS = 120;

/** Returns all about one photo; it is not fetched while one flips through quickly. */
export function useAsset(id: string): Asset | undefined {
  const [settledId, setSettledId] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettledId(id), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [id]);
  // A failure is seen at the picture itself; the panel stays empty.
  return useQuery({ ...assetQuery(id), enabled: settledId === id }).data;
}
