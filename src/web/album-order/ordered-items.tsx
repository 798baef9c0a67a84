import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useLocation } from 'wouter';
import { t } from '../i18n.ts';
import { ResultsView } from '../search/results-view.tsx';
import type { Rights } from '../timeline/action-names.ts';
import { createAlbumItems } from './items.ts';
import { albumOrderQuery } from './queries.ts';

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
      onMove={mayMove ? (to) => void move(to) : undefined}
    />
  );
}
