import { useQuery } from '@tanstack/react-query';
import { Link2, Users } from 'lucide-react';
import { Link } from 'wouter';
import { findOwner } from '../../data/albums/album-data.ts';
import { AlbumCards } from '../../parts/albums/album-cards.tsx';
import { useAlbums } from '../../data/albums/queries.ts';
import { partnersQuery } from '../../data/settings/queries.ts';
import type { Me } from '../../data/types.ts';
import { Avatar, Empty, Failure, Page } from '../../ui/elements.tsx';
import styles from './sharing.module.css';
import { t } from '../../base/i18n.ts';

/** The albums and timelines that others share with the account, and the albums that it shares. */
export function SharingPage({ me }: { me: Me }) {
  const albums = useAlbums();
  const sharers = useQuery(partnersQuery('shared-with'));
  const viewers = useQuery(partnersQuery('shared-by'));
  const error = albums.error ?? sharers.error;
  const shared = (albums.data ?? []).filter((album) => album.shared);
  const isMine = (album: (typeof shared)[number]) => findOwner(album)?.id === me.id;
  const received = shared.filter((album) => !isMine(album));
  const given = shared.filter(isMine);
  const isEmpty = albums.data && sharers.data && shared.length === 0 && sharers.data.length === 0;
  const actions = (
    <Link href="/links" className="button">
      <Link2 size={18} aria-hidden /> {t('Links')}
    </Link>
  );
  return (
    <Page title={t('Sharing')} actions={actions}>
      {error && !(albums.data && sharers.data) && (
        <Failure
          error={error}
          onRetry={() => void Promise.all([albums.refetch(), sharers.refetch()])}
        />
      )}
      {isEmpty && (
        <Empty
          icon={Users}
          title={t('Nothing is shared yet')}
          text={t('Albums and timelines that others share with you appear here.')}
        />
      )}
      {sharers.data && sharers.data.length > 0 && (
        <section className={styles.part}>
          <h2>{t('Partners')}</h2>
          <ul className={styles.partners}>
            {sharers.data.map(({ id, name }) => (
              <li key={id}>
                <Link href={`/sharing/${id}`} className={styles.partner}>
                  <Avatar name={name} />
                  <span className="person-name">
                    {name}
                    <small>{t('shares with you')}</small>
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      {received.length > 0 && (
        <section className={styles.part}>
          <h2>{t('Shared with me')}</h2>
          <AlbumCards albums={received} me={me} />
        </section>
      )}
      {given.length > 0 && (
        <section className={styles.part}>
          <h2>{t('Shared by me')}</h2>
          <AlbumCards albums={given} me={me} />
        </section>
      )}
      <p className="muted">
        {viewers.data?.length
          ? t(
              '{count, plural, one {# partner sees your timeline.} other {# partners see your timeline.}}',
              { count: viewers.data.length },
            )
          : t('Your timeline is not shared.')}{' '}
        <Link href="/settings">{t('Change in the settings')}</Link>
      </p>
    </Page>
  );
}
