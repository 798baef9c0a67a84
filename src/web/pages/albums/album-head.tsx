import { useQuery } from '@tanstack/react-query';
import { Download, LogOut, MessageCircle, Pin, PinOff, Trash2, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatDateRange, formatList } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { activityCountsQuery } from '../../data/activity/queries.ts';
import { editAlbum, getRole } from '../../data/albums/album-data.ts';
import { splitAlbumName } from '../../data/albums/album-order.ts';
import { isPinned, togglePin } from '../../data/pins/pin-data.ts';
import { usePins } from '../../data/pins/queries.ts';
import type { Album, AlbumRole, Me } from '../../data/types.ts';
import { assetQuery } from '../../data/viewer/queries.ts';
import { OrderMenu } from '../../parts/album-order/order-menu.tsx';
import { Cover } from '../../parts/albums/cover.tsx';
import { downloadAlbum } from '../../parts/albums/download.ts';
import styles from '../../ui/collections.module.css';
import { Avatar } from '../../ui/elements.tsx';
import { InPlaceText } from '../../ui/in-place-text.tsx';
import { Menu, type MenuEntry } from '../../ui/menu.tsx';
import { AddPhotosButton } from './add-photos-dialog.tsx';
import { AlbumDialog, type DialogName } from './album-dialog.tsx';
import { AlbumPeople } from './album-people.tsx';
import { MapLink } from './map-link.tsx';

type Props = { album: Album; me: Me; person: string | undefined };

/** The cover, the name, the facts and the actions of an album; who may change it does so in place. */
export function AlbumHead({ album, me, person }: Props) {
  const [open, setOpen] = useState<DialogName>();
  const role = getRole(album, me);
  const notes = [
    t('{count, plural, one {# item} other {# items}}', { count: album.assetCount }),
    formatDateRange(album.startDate, album.endDate),
  ];
  return (
    <header className={`view-head ${styles.albumHead}`}>
      {album.assetCount > 0 && (
        <AlbumCover album={album} mayChange={role !== 'viewer'} onChange={() => setOpen('cover')} />
      )}
      <div className={styles.albumTexts}>
        <AlbumTitle album={album} mayChange={role !== 'viewer'} />
        <p className="muted">{notes.filter(Boolean).join(' · ')}</p>
        <Description album={album} mayChange={role !== 'viewer'} />
        <div className={styles.albumBar}>
          {album.albumUsers.length > 1 && <Members album={album} />}
          <Actions album={album} role={role} onOpen={setOpen} />
        </div>
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

type PartProps = { album: Album; mayChange: boolean };

function AlbumCover({ album, mayChange, onChange }: PartProps & { onChange: () => void }) {
  const id = album.albumThumbnailAssetId;
  const { data } = useQuery({ ...assetQuery(id ?? ''), enabled: id !== null });
  // A file that has just come has no picture yet.
  const cover = <Cover album={data?.thumbhash ? album : undefined} />;
  if (!mayChange) return <span className={styles.albumCover}>{cover}</span>;
  return (
    <button
      className={styles.albumCover}
      aria-label={t('Choose cover')}
      title={t('Choose cover')}
      onClick={onChange}
    >
      {cover}
    </button>
  );
}

/** The name, and the way to the group that it stands in: "Trips" of "Trips/Norway". */
function AlbumTitle({ album, mayChange }: PartProps) {
  const name = album.albumName;
  const parts = splitAlbumName(name);
  const group = parts.slice(0, -1).join('/');
  const title = (group ? parts.at(-1) : name) || t('Untitled');
  return (
    <>
      {group && (
        <Link className="muted" href={`/albums?${new URLSearchParams({ in: group })}`}>
          {group}
        </Link>
      )}
      <h2>
        {mayChange ? (
          <InPlaceText
            text={name}
            shown={title}
            label={t('Name')}
            maxLength={200}
            onSave={(albumName) => editAlbum(album, { albumName })}
          />
        ) : (
          title
        )}
      </h2>
    </>
  );
}

function Description({ album, mayChange }: PartProps) {
  const { description } = album;
  if (!mayChange) {
    return description && <p className={styles.albumDescription}>{description}</p>;
  }
  return (
    <div className={styles.albumDescription}>
      <InPlaceText
        text={description}
        shown={description || t('Add a description')}
        label={t('Description')}
        isLong
        onSave={(next) => editAlbum(album, { description: next })}
      />
    </div>
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

type ActionsProps = { album: Album; role: AlbumRole; onOpen: (name: DialogName) => void };

function Actions({ album, role, onOpen }: ActionsProps) {
  const entries = useEntries({ album, role, onOpen });
  return (
    <>
      {role !== 'viewer' && <AddPhotosButton album={album} />}
      {role === 'owner' && (
        <button
          className="button small"
          aria-label={t('Share album')}
          onClick={() => onOpen('share')}
        >
          <UserPlus size={18} aria-hidden /> {t('Share')}
        </button>
      )}
      {album.isActivityEnabled && album.albumUsers.length > 1 && (
        <CommentsButton albumId={album.id} onClick={() => onOpen('talk')} />
      )}
      {role !== 'viewer' && album.assetCount > 0 && <OrderMenu album={album} />}
      <MapLink albumId={album.id} />
      <Menu label={t('Album actions')} entries={entries} />
    </>
  );
}

/** The actions that people need less often. */
function useEntries({ album, role, onOpen }: ActionsProps): MenuEntry[] {
  const isPin = isPinned(usePins(), 'album', album.id);
  const download = {
    icon: Download,
    label: t('Download album'),
    run: () => void downloadAlbum(album),
  };
  return [
    {
      icon: isPin ? PinOff : Pin,
      label: isPin ? t('Unpin') : t('Pin to the side'),
      run: () => void togglePin('album', album.id),
    },
    ...(album.assetCount > 0 ? [download] : []),
    role === 'owner'
      ? { icon: Trash2, label: t('Delete album'), run: () => onOpen('delete') }
      : { icon: LogOut, label: t('Leave album'), run: () => onOpen('leave') },
  ];
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
