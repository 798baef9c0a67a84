import { Link } from 'wouter';
import { formatDateRange } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { findOwner } from '../../data/albums/album-data.ts';
import { getNameBelow } from '../../data/albums/album-order.ts';
import type { Album, Me } from '../../data/types.ts';
import styles from '../../ui/collections.module.css';
import { Cover } from './cover.tsx';

type Props = {
  albums: readonly Album[];
  me: Me;
  /** The group that they are shown in, which their names leave out. */
  path?: string;
};

export const AlbumCards = ({ albums, me, path = '' }: Props) => (
  <ul className={styles.albums}>
    {albums.map((album) => (
      <li key={album.id}>
        <AlbumCard album={album} me={me} name={getNameBelow(album.albumName, path)} />
      </li>
    ))}
  </ul>
);

function AlbumCard({ album, me, name }: { album: Album; me: Me; name: string }) {
  const owner = findOwner(album);
  const isMine = owner?.id === me.id;
  const notes = [
    t('{count, plural, one {# item} other {# items}}', { count: album.assetCount }),
    formatDateRange(album.startDate, album.endDate),
    !isMine && owner ? t('from {name}', { name: owner.name }) : album.shared ? t('shared') : '',
  ];
  return (
    <Link href={`/albums/${album.id}`} className={styles.albumCard}>
      <Cover album={album} size="preview" />
      <span className={styles.albumName}>{name || t('Untitled')}</span>
      <span className={styles.albumNote}>{notes.filter(Boolean).join(' · ')}</span>
    </Link>
  );
}
