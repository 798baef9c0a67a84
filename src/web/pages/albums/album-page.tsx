import { useQuery } from '@tanstack/react-query';
import { ImagePlus } from 'lucide-react';
import { useEffect } from 'react';
import { Link, useSearch } from 'wouter';
import { getTimeline } from '../../data/timeline/timeline-data.ts';
import { TimelineView } from '../../parts/timeline/timeline-view.tsx';
import { OrderedItems } from '../../parts/results/ordered-items.tsx';
import { albumOrderQuery } from '../../data/album-order/queries.ts';
import type { Me } from '../../data/types.ts';
import { Empty } from '../../ui/elements.tsx';
import { uploadAlbum } from '../../data/uploads/album.ts';
import { toAlbumFilter } from '../../parts/albums/album-filter.ts';
import { getRole } from '../../data/albums/album-data.ts';
import { AlbumHead } from './album-head.tsx';
import { EmptyAlbum } from './empty-album.tsx';
import { albumPeopleQuery, useAlbum } from '../../data/albums/queries.ts';
import styles from '../../ui/collections.module.css';
import { t } from '../../base/i18n.ts';

type Props = { albumId: string; photoId: string | undefined; me: Me };

export function AlbumPage({ albumId, photoId, me }: Props) {
  const { data: album, error } = useAlbum(albumId);
  const person = new URLSearchParams(useSearch()).get('person') ?? undefined;
  const timeline = getTimeline({
    ...toAlbumFilter({ id: albumId, order: album?.order }),
    ...(person && { personId: person }),
  });
  const { isLoading } = useQuery(albumPeopleQuery(albumId));
  const { data: order, isLoading: isOrderLoading } = useQuery(albumOrderQuery(albumId));
  const mayAdd = album !== undefined && getRole(album, me) !== 'viewer';
  const albumName = album?.albumName;
  useEffect(() => {
    if (!mayAdd) return;
    uploadAlbum.set({ id: albumId, albumName: albumName ?? '' });
    return () => uploadAlbum.set(undefined);
  }, [mayAdd, albumId, albumName]);
  useEffect(() => {
    if (album) document.title = `${album.albumName || t('Untitled')} · Safelight`;
  }, [album]);
  if (error && !album) {
    return (
      <Empty icon={ImagePlus} title={t('This album cannot be shown')} text={error.message}>
        <Link href="/albums" className="button">
          {t('To all albums')}
        </Link>
      </Empty>
    );
  }
  const title = album?.albumName ?? t('Album');
  const head = album ? (
    <AlbumHead album={album} me={me} person={person} />
  ) : (
    <div className={`view-head ${styles.albumHead}`} />
  );
  const empty = <EmptyAlbum album={album} mayAdd={mayAdd} />;
  if (order?.order === 'custom' && !person) {
    return (
      <OrderedItems
        albumId={albumId}
        title={title}
        base={`/albums/${albumId}`}
        photoId={photoId}
        head={head}
        empty={empty}
        version={`${album?.assetCount} ${album?.updatedAt}`}
        mayMove={mayAdd}
      />
    );
  }
  return (
    <TimelineView
      timeline={timeline}
      title={title}
      base={`/albums/${albumId}`}
      search={person ? `?${new URLSearchParams({ person })}` : ''}
      // The album says in which order its photos follow each other.
      photoId={album && photoId}
      head={head}
      isSettled={album !== undefined && !isLoading && !isOrderLoading}
      empty={empty}
    />
  );
}
