import { useQuery } from '@tanstack/react-query';
import {
  Download,
  Image as ImageIcon,
  ImagePlus,
  LogOut,
  MessageCircle,
  Pencil,
  Pin,
  PinOff,
  Trash2,
  UserPlus,
} from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { formatDateRange, formatList } from '../../base/format.ts';
import { Comments } from '../../parts/activity/comments.tsx';
import { activityCountsQuery } from '../../data/activity/queries.ts';
import { isPinned, togglePin } from '../../data/pins/pin-data.ts';
import { usePins } from '../../data/pins/queries.ts';
import { getTimeline } from '../../data/timeline/timeline-data.ts';
import { TimelineView } from '../../parts/timeline/timeline-view.tsx';
import { attempt } from '../../ui/toast.tsx';
import { OrderMenu } from '../../parts/album-order/order-menu.tsx';
import { OrderedItems } from '../../parts/results/ordered-items.tsx';
import { albumOrderQuery } from '../../data/album-order/queries.ts';
import type { Album, Me } from '../../data/types.ts';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Avatar, Empty, IconButton } from '../../ui/elements.tsx';
import { uploadAlbum } from '../../data/uploads/album.ts';
import { AddPhotosButton } from './add-photos-dialog.tsx';
import { AlbumPeople } from './album-people.tsx';
import { toAlbumFilter } from '../../parts/albums/album-filter.ts';
import { splitAlbumName } from '../../data/albums/album-order.ts';
import { deleteAlbum, findOwner, getRole, leaveAlbum } from '../../data/albums/album-data.ts';
import { CoverDialog } from './cover-dialog.tsx';
import { EditAlbum } from './edit-album.tsx';
import { EmptyAlbum } from './empty-album.tsx';
import { downloadAlbum } from '../../parts/albums/download.ts';
import { MapLink } from './map-link.tsx';
import { albumPeopleQuery, useAlbum } from '../../data/albums/queries.ts';
import { ShareDialog } from '../../parts/albums/share-dialog.tsx';
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

type HeadProps = { album: Album; me: Me; person: string | undefined };

/** The name, the facts and the actions of an album. */
function AlbumHead({ album, me, person }: HeadProps) {
  const [open, setOpen] = useState<DialogName>();
  const role = getRole(album, me);
  const notes = [
    t('{count, plural, one {# item} other {# items}}', { count: album.assetCount }),
    formatDateRange(album.startDate, album.endDate),
  ];
  return (
    <header className={`view-head ${styles.albumHead}`}>
      <AlbumTitle name={album.albumName} />
      <p className="muted">{notes.filter(Boolean).join(' · ')}</p>
      {album.description && <p className={styles.albumDescription}>{album.description}</p>}
      <div className={styles.albumBar}>
        {album.albumUsers.length > 1 && <Members album={album} />}
        <Actions album={album} role={role} onOpen={setOpen} />
      </div>
      <AlbumPeople albumId={album.id} chosen={person} />
      {open && (
        <AlbumDialog
          name={open}
          album={album}
          isOwner={role === 'owner'}
          onClose={() => setOpen(undefined)}
        />
      )}
    </header>
  );
}

/** The name, and the way to the group that it stands in: "Trips" of "Trips/Norway". */
function AlbumTitle({ name }: { name: string }) {
  const parts = splitAlbumName(name);
  const group = parts.slice(0, -1).join('/');
  return (
    <>
      {group && (
        <Link className="muted" href={`/albums?${new URLSearchParams({ in: group })}`}>
          {group}
        </Link>
      )}
      <h2>{(group ? parts.at(-1) : name) || t('Untitled')}</h2>
    </>
  );
}

const Members = ({ album }: { album: Album }) => (
  <span
    className={styles.avatars}
    role="img"
    aria-label={t('Shared with {names}', {
      names: formatList(album.albumUsers.map(({ user }) => user.name)),
    })}
  >
    {album.albumUsers.slice(0, 6).map(({ user }) => (
      <Avatar key={user.id} name={user.name} />
    ))}
  </span>
);

type ActionsProps = {
  album: Album;
  role: ReturnType<typeof getRole>;
  onOpen: (name: DialogName) => void;
};

function Actions({ album, role, onOpen }: ActionsProps) {
  const isPin = isPinned(usePins(), 'album', album.id);
  return (
    <>
      {album.isActivityEnabled && album.albumUsers.length > 1 && (
        <CommentsButton albumId={album.id} onClick={() => onOpen('talk')} />
      )}
      <IconButton
        icon={isPin ? PinOff : Pin}
        label={isPin ? t('Unpin') : t('Pin to the side')}
        onClick={() => void togglePin('album', album.id)}
      />
      {role !== 'viewer' && <AddPhotosButton album={album} />}
      {role !== 'viewer' && (
        <IconButton icon={Pencil} label={t('Edit album')} onClick={() => onOpen('edit')} />
      )}
      {role !== 'viewer' && album.assetCount > 0 && (
        <IconButton icon={ImageIcon} label={t('Choose cover')} onClick={() => onOpen('cover')} />
      )}
      {role !== 'viewer' && album.assetCount > 0 && <OrderMenu album={album} />}
      {role === 'owner' && (
        <IconButton icon={UserPlus} label={t('Share album')} onClick={() => onOpen('share')} />
      )}
      {album.assetCount > 0 && (
        <IconButton
          icon={Download}
          label={t('Download album')}
          onClick={() => void downloadAlbum(album)}
        />
      )}
      <MapLink albumId={album.id} />
      {role === 'owner' ? (
        <IconButton icon={Trash2} label={t('Delete album')} onClick={() => onOpen('delete')} />
      ) : (
        <IconButton icon={LogOut} label={t('Leave album')} onClick={() => onOpen('leave')} />
      )}
    </>
  );
}

function CommentsButton({ albumId, onClick }: { albumId: string; onClick: () => void }) {
  const { data } = useQuery(activityCountsQuery(albumId));
  const count = data?.comments ?? 0;
  return (
    <button
      className="button small"
      aria-label={t('Comments: {count}', { count })}
      title={t('Comments')}
      onClick={onClick}
    >
      <MessageCircle size={16} aria-hidden /> {count}
    </button>
  );
}

type DialogName = 'edit' | 'cover' | 'share' | 'talk' | 'delete' | 'leave';
type DialogProps = { name: DialogName; album: Album; isOwner: boolean; onClose: () => void };

/** The dialog of the action that is in use. */
function AlbumDialog({ name, album, isOwner, onClose }: DialogProps) {
  const [, navigate] = useLocation();
  const leave = async (work: () => Promise<unknown>, done: string) => {
    if (await attempt(work, done)) navigate('/albums');
  };
  switch (name) {
    case 'talk':
      return (
        <Dialog
          title={t('About “{albumName}”', { albumName: album.albumName || t('Untitled') })}
          onClose={onClose}
          isWide
        >
          <Comments albumId={album.id} isOwner={isOwner} />
        </Dialog>
      );
    case 'edit':
      return <EditAlbum album={album} isOwner={isOwner} onClose={onClose} />;
    case 'cover':
      return <CoverDialog album={album} onClose={onClose} />;
    case 'share':
      return <ShareDialog album={album} onClose={onClose} />;
    case 'delete':
      return (
        <Confirm
          title={t('Delete this album?')}
          text={t('The photos in it stay in your library.')}
          action={t('Delete album')}
          onClose={onClose}
          onConfirm={() => void leave(() => deleteAlbum(album.id), t('Album deleted'))}
        />
      );
    case 'leave':
      return (
        <Confirm
          title={t('Leave this album?')}
          text={t('You will not see its photos any more, unless you are invited again.')}
          action={t('Leave album')}
          onClose={onClose}
          onConfirm={() =>
            void leave(
              () => leaveAlbum(album.id),
              t('You left the album. {name} can invite you again.', {
                name: findOwner(album)?.name ?? '',
              }),
            )
          }
        />
      );
  }
}
