import { useQuery } from '@tanstack/react-query';
import { albumsWithQuery } from '../../data/albums/queries.ts';
import { t } from '../../base/i18n.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { AlbumLinks } from './album-links.tsx';

type Props = { assetId: string; onClose: () => void };

/** The albums that a photo is in; a press opens one at the photo. */
export function AlbumsDialog({ assetId, onClose }: Props) {
  const { data, error } = useQuery(albumsWithQuery(assetId));
  return (
    <Dialog title={t('Show in album')} onClose={onClose}>
      {error && <p role="alert">{error.message}</p>}
      {data?.length === 0 && <p className="muted">{t('This photo is in no album.')}</p>}
      {data && <AlbumLinks albums={data} assetId={assetId} />}
    </Dialog>
  );
}
