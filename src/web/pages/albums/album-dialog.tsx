import { useLocation } from 'wouter';
import { t } from '../../base/i18n.ts';
import { deleteAlbum, findOwner, leaveAlbum } from '../../data/albums/album-data.ts';
import type { Album } from '../../data/types.ts';
import { CommentsDialog } from '../../parts/activity/comments.tsx';
import { ShareDialog } from '../../parts/albums/share-dialog.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { attempt } from '../../ui/toast.tsx';
import { CoverDialog } from './cover-dialog.tsx';

export type DialogName = 'cover' | 'share' | 'talk' | 'delete' | 'leave';
type DialogProps = { name: DialogName; album: Album; isOwner: boolean; onClose: () => void };

/** The dialog of the action that is in use. */
export function AlbumDialog({ name, album, isOwner, onClose }: DialogProps) {
  const [, navigate] = useLocation();
  const leave = async (work: () => Promise<unknown>, done: string) => {
    if (await attempt(work, done)) navigate('/albums');
  };
  switch (name) {
    case 'talk':
      return <CommentsDialog albumId={album.id} isOwner={isOwner} onClose={onClose} />;
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
