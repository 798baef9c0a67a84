import { Link } from 'wouter';
import { Cover } from '../albums/cover.tsx';
import { t } from '../../base/i18n.ts';
import { toRevealPath } from '../grid/reveal.ts';
import type { Album } from '../../data/types.ts';
import styles from '../../ui/collections.module.css';

/** Albums by name and cover, each of which opens at the photo. */
export const AlbumLinks = ({ albums, assetId }: { albums: readonly Album[]; assetId: string }) => (
  <ul className={styles.picker}>
    {albums.map((album) => (
      <li key={album.id}>
        <Link href={toRevealPath(`/albums/${album.id}`, assetId)} className={styles.pickerEntry}>
          <Cover album={album} />
          <span>
            {album.albumName || t('Untitled')}
            <small>
              {t('{count, plural, one {# item} other {# items}}', { count: album.assetCount })}
            </small>
          </span>
        </Link>
      </li>
    ))}
  </ul>
);
