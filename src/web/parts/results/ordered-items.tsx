import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useLocation } from 'wouter';
import { t } from '../../base/i18n.ts';
import { ResultsView } from './results-view.tsx';
import type { Rights } from '../grid/action-names.ts';
import {
  albumOrderQuery,
  cacheOrder,
  fetchItems,
  getCachedOrder,
  type Move,
  moveItems,
} from '../../data/album-order/queries.ts';
import { createResults, reorderResults } from '../../data/search/results.ts';
import type { Timeline } from '../../data/timeline/timeline-data.ts';
import { attempt } from '../../ui/toast.tsx';
import { reorder } from './reorder.ts';

type Props = {
  albumId: string;
  title: string;
  /** Path of the page; a photo's own path is below it. */
  base: string;
  photoId: string | undefined;
  head: ReactNode;
  empty: ReactNode;
  /** Changes with what is in the album. */
  version: string;
  mayMove?: boolean;
  /** The rights of a guest; others have all. */
  may?: Rights;
};

/** The items of an album in their order by hand, without headings of months. */
export function OrderedItems(props: Props) {
  const { albumId, title, base, photoId, head, empty, version, mayMove = false, may } = props;
  const [, navigate] = useLocation();
  const { data: order } = useQuery(albumOrderQuery(albumId));
  const isGuest = may !== undefined;
  const { items, move, isShown } = useMemo(
    () => createAlbumItems(albumId, isGuest ? {} : { albumId }),
    [albumId, isGuest],
  );
  const revision = order?.revision;
  const known = useRef({ version, revision });
  useEffect(() => {
    const before = known.current;
    known.current = { version, revision };
    const isMoved = before.revision !== revision && !isShown(revision);
    if (before.version !== version || isMoved) void items.refresh();
  }, [items, isShown, version, revision]);
  return (
    <ResultsView
      results={items}
      title={title}
      note={mayMove && <p className="muted">{t('Drag photos to move them.')}</p>}
      photoId={photoId}
      toHref={(id) => (id === undefined ? base : `${base}/photos/${id}`)}
      navigate={navigate}
      head={head}
      empty={empty}
      may={may}
      onMove={mayMove ? move : undefined}
    />
  );
}

type AlbumItems = {
  readonly items: Timeline;
  /** Moves items at once on the page, and then on the server. */
  readonly move: (move: Move) => void;
  /** Whether the order of this revision is the one that is shown. */
  readonly isShown: (revision: number | undefined) => boolean;
};

/** Returns the items of an album in their order by hand. `filter`: what their actions concern. */
function createAlbumItems(albumId: string, filter: Timeline['filter']): AlbumItems {
  const name = ['album', albumId];
  let shown: number | undefined;
  let moves = 0;
  let sending: Promise<void> = Promise.resolve();
  /** An answer from before a move would undo it on the page. */
  async function fetchPage(cursor: string | undefined, size: number) {
    for (;;) {
      const known = moves;
      await sending;
      const { items, nextCursor } = await fetchItems(albumId, cursor, size);
      if (moves === known) return { items, next: nextCursor ?? undefined };
    }
  }
  const items = createResults(name, fetchPage, filter);
  async function send(to: Move, isWhole: boolean): Promise<void> {
    const before = getCachedOrder(albumId)?.revision;
    const isDone = await attempt(async () => {
      const order = await moveItems(albumId, to);
      // Another one was skipped if somebody else has moved something, too.
      if (before !== undefined && order.revision === before + 1) shown = order.revision;
      cacheOrder(albumId, order);
    });
    // The items after the last that is loaded are not known.
    if (!isDone || !isWhole) void items.refresh();
  }
  function move(to: Move): void {
    moves += 1;
    const isWhole = reorderResults(name, (ids) => reorder(ids, to), to.target);
    // In order: a move names its new place by the items beside it, which the move before may have changed.
    sending = sending.then(() => send(to, isWhole)).catch(() => {});
  }
  return { items, move, isShown: (revision) => revision === shown };
}
