import { readStorage, writeStorage } from '../../base/storage.ts';
import { createStore, type ReadableStore } from '../../base/store.ts';
import { type Grouping, GROUPINGS } from '../../data/timeline/layout.ts';

const KEY = 'safelight.timeline-grouping';

const store = createStore<Grouping>(
  GROUPINGS.find((grouping) => grouping === readStorage(KEY)) ?? 'day',
);

/** How the timelines of this browser are grouped. */
export const grouping: ReadableStore<Grouping> = store;

export function setGrouping(next: Grouping): void {
  writeStorage(KEY, next);
  store.set(next);
}

/** Returns the grouping `by` steps towards larger groups; the last one stays. */
export function stepGrouping(from: Grouping, by: number): Grouping {
  const index = Math.max(0, Math.min(GROUPINGS.length - 1, GROUPINGS.indexOf(from) + by));
  return GROUPINGS[index] ?? from;
}
