import { ImagePlus } from 'lucide-react';
import { Link } from 'wouter';
import { t } from '../../base/i18n.ts';
import type { Album } from '../../data/types.ts';
import { Empty } from '../../ui/elements.tsx';
import { AddPhotosButton } from './add-photos-dialog.tsx';

/** Stands in the place of the photos of an album without any. */
export function EmptyAlbum({ album, mayAdd }: { album: Album | undefined; mayAdd: boolean }) {
  return (
    <Empty
      icon={ImagePlus}
      title={t('Nothing in here yet')}
      text={
        mayAdd
          ? t('Drop photos here, or add some from your timeline.')
          : t('Nobody has added a photo to this album so far.')
      }
    >
      {album && mayAdd ? (
        <AddPhotosButton album={album} isPrimary />
      ) : (
        <Link href="/photos" className="button">
          {t('To the photos')}
        </Link>
      )}
    </Empty>
  );
}
