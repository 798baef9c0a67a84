import { useQuery } from '@tanstack/react-query';
import { albumsWithQuery } from '../albums/queries.ts';
import { t } from '../i18n.ts';
import { AlbumLinks } from './album-links.tsx';
import infoPanelStyles from './info-panel.module.css';

/** The albums of the account that contain the photo. */
export function PhotoAlbums({ assetId }: { assetId: string }) {
  const { data = [] } = useQuery(albumsWithQuery(assetId));
  if (data.length === 0) return null;
  return (
    <section className={infoPanelStyles.infoSection}>
      <header>
        <h3>{t('Albums')}</h3>
      </header>
      <AlbumLinks albums={data} assetId={assetId} />
    </section>
  );
}
