import { useEffect, useEffectEvent } from 'react';
import { useLocation, useSearch } from 'wouter';
import { fetchAsset } from '../../data/assets/asset-actions.ts';
import type { Timeline } from '../../data/timeline/timeline-data.ts';

/** The parameter of an address by which a timeline opens at a photo. */
const SHOW_PARAM = 'show';

/** Returns the address of a timeline that scrolls to a photo. `base`: the path of the timeline's page. */
export const toRevealPath = (base: string, id: string): string => `${base}?${SHOW_PARAM}=${id}`;

/** Scrolls to the photo that the address names, once its month is loaded. */
export function useReveal(timeline: Timeline, focusOn: (id: string) => void): void {
  const [path, navigate] = useLocation();
  const id = new URLSearchParams(useSearch()).get(SHOW_PARAM);
  const finish = useEffectEvent((wanted: string) => {
    navigate(path, { replace: true });
    focusOn(wanted);
  });
  useEffect(() => {
    if (!id) return;
    let isGone = false;
    void loadMonthWith(timeline, id).then(() =>
      requestAnimationFrame(() => {
        if (!isGone) finish(id);
      }),
    );
    return () => {
      isGone = true;
    };
  }, [timeline, id]);
}

/** A photo that is gone is not found; then the timeline stays where it is. */
async function loadMonthWith(timeline: Timeline, id: string): Promise<void> {
  const asset = await fetchAsset(id).catch(() => undefined);
  if (!asset) return;
  if (timeline.state.get().status !== 'ready') await timeline.refresh();
  await timeline.loadMonth(`${asset.localDateTime.slice(0, 7)}-01`);
}
