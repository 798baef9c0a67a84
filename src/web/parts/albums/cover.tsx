import { Image } from 'lucide-react';
import { getPictureUrl } from '../../base/pictures.ts';
import type { Album } from '../../data/types.ts';
import styles from '../../ui/collections.module.css';

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
