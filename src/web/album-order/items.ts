import { createResults, reorderResults } from '../search/results.ts';
import type { Timeline } from '../timeline/timeline-data.ts';
import { attempt } from '../toast.tsx';
import { cacheOrder, fetchItems, getCachedOrder, type Move, moveItems } from './queries.ts';
import { reorder } from './reorder.ts';

export type AlbumItems = {
  readonly items: Timeline;
  /** Moves items at once on the page, and then on the server. */
  readonly move: (move: Move) => Promise<void>;
  /** Whether the order of this revision is the one that is shown. */
  readonly isShown: (revision: number | undefined) => boolean;
};

/** Returns the items of an album in their order by hand. `filter`: what their actions concern. */
export function createAlbumItems(albumId: string, filter: Timeline['filter']): AlbumItems {
  const name = ['album', albumId];
  const items = createResults(
    name,
    async (cursor, size) => {
      const { items, nextCursor } = await fetchItems(albumId, cursor, size);
      return { items, next: nextCursor ?? undefined };
    },
    filter,
  );
  let shown: number | undefined;
  async function move(to: Move): Promise<void> {
    const isWhole = reorderResults(name, (ids) => reorder(ids, to), to.target);
    const before = getCachedOrder(albumId)?.revision;
    const isDone = await attempt(async () => {
      const order = await moveItems(albumId, to);
      // Another one was skipped if somebody else has moved something, too.
      if (before !== undefined && order.revision === before + 1) shown = order.revision;
      cacheOrder(albumId, order);
    });
    // The items after the last that is loaded are not known.
    if (!isDone || !isWhole) await items.refresh();
  }
  return { items, move, isShown: (revision) => revision === shown };
}
