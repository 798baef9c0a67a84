import { useCallback, useEffect, useState } from 'react';
import { fetchAsset } from '../timeline/asset-actions.ts';
import type { Asset } from '../types.ts';

const SETTLE_MS = 120;

/** All about one photo; not asked for while one flips through quickly. */
export function useAsset(id: string): {
  asset: Asset | undefined;
  setAsset: (asset: Asset) => void;
  reload: () => void;
} {
  const [asset, setAsset] = useState<Asset>();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isGone = false;
    const timer = setTimeout(() => {
      // A failure is seen at the picture itself; the panel stays empty.
      fetchAsset(id).then(
        (found) => {
          if (!isGone) setAsset(found);
        },
        () => undefined,
      );
    }, SETTLE_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [id, turn]);
  const reload = useCallback(() => setTurn((old) => old + 1), []);
  return { asset: asset?.id === id ? asset : undefined, setAsset, reload };
}
