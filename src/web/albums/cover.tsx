import { Image } from 'lucide-react';
import { getPictureUrl } from '../pictures.ts';
import type { Album } from '../types.ts';
import styles from './albums.module.css';

export function Cover({
  album,
  size = 'thumbnail',
}: {
  album: Album | undefined;
  size?: 'thumbnail' | 'preview';
}) {
  const id = album?.albumThumbnailAssetId;
  return (
    <span className={styles.cover}>
      {id ? (
        <img
          src={getPictureUrl(id, size)}
          alt=""
          loading="lazy"
          decoding="async"
          onError={(event) => (event.currentTarget.hidden = true)}
        />
      ) : (
        <Image size={28} strokeWidth={1.25} aria-hidden />
      )}
    </span>
  );
}
