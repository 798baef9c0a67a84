import { useQuery } from '@tanstack/react-query';
import { Download, ImageOff, Images } from 'lucide-react';
import { useEffect } from 'react';
import { Route, Switch } from 'wouter';
import { OrderedItems } from '../../parts/results/ordered-items.tsx';
import { albumOrderQuery } from '../../data/album-order/queries.ts';
import { downloadAll } from '../../parts/albums/download.ts';
import { CardPage, Logo } from '../../parts/session/card-page.tsx';
import { useStore } from '../../base/store.ts';
import { linkOwnerQuery } from '../../data/links/queries.ts';
import { getTimeline } from '../../data/timeline/timeline-data.ts';
import { TimelineView } from '../../parts/timeline/timeline-view.tsx';
import type { SharedLink } from '../../data/types.ts';
import { DropZone, UploadButton } from '../../parts/uploads/drop.tsx';
import { UploadPanel } from '../../parts/uploads/lazy-panel.tsx';
import { cornerContent } from '../../ui/corner.ts';
import { Empty } from '../../ui/elements.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { SlideshowPage } from './slideshow-page.tsx';
import { Wall } from './wall.tsx';
import { enterPassword, openLink, visit } from './guest.ts';
import styles from './guest.module.css';
import albumsStyles from '../../ui/collections.module.css';
import { t } from '../../base/i18n.ts';

/** The page of a shared link, for guests without an account. */
export function GuestPage({ base }: { base: string }) {
  const now = useStore(visit);
  switch (now.stage) {
    case 'starting':
      return null;
    case 'password':
      return <Password />;
    case 'refused':
      return (
        <CardPage title={t('This link does not work')} text={now.error}>
          {now.canRetry && (
            <button className="button primary" onClick={() => void openLink()}>
              {t('Try again')}
            </button>
          )}
        </CardPage>
      );
    case 'open':
      return <Shared link={now.link} base={base} />;
  }
}

function Password() {
  const form = useForm((values) => enterPassword(values['password'] ?? ''));
  return (
    <CardPage title={t('Shared with you')} text={t('A password is needed to see these photos.')}>
      <Form state={form} action={t('Show the photos')}>
        <Field
          label={t('Password')}
          name="password"
          type="password"
          required
          autoFocus
          autoComplete="off"
          error={form.fields['password']}
        />
      </Form>
    </CardPage>
  );
}

function Shared({ link, base }: { link: SharedLink; base: string }) {
  const title = link.album?.albumName || t('Shared photos');
  useEffect(() => {
    document.title = `${title} · Safelight`;
  }, [title]);
  return (
    <div className={styles.guest}>
      <main ref={cornerContent} id="content" className="content" tabIndex={-1}>
        <Switch>
          <Route path={`${base}/wall`}>
            <Wall link={link} base={base} title={title} />
          </Route>
          <Route path={`${base}/slideshow`}>
            <SlideshowPage base={base} title={title} />
          </Route>
          <Route path={`${base}/:photos?/:id?`}>
            {({ id }: { id?: string }) => (
              <Items link={link} base={base} title={title} photoId={id} />
            )}
          </Route>
        </Switch>
      </main>
      {link.allowUpload && (
        <>
          <UploadPanel />
          <DropZone />
        </>
      )}
    </div>
  );
}

type ItemsProps = { link: SharedLink; base: string; title: string; photoId: string | undefined };

function Items({ link, base, title, photoId }: ItemsProps) {
  const albumId = link.album?.id;
  const { data: order, isLoading } = useQuery({
    ...albumOrderQuery(albumId ?? ''),
    enabled: albumId !== undefined,
  });
  const shared = {
    title,
    base,
    photoId,
    may: { download: link.allowDownload, info: link.showMetadata },
    head: <Head link={link} title={title} />,
    empty: (
      <Empty
        icon={link.allowUpload ? Images : ImageOff}
        title={t('No photos yet')}
        text={
          link.allowUpload
            ? t('Be the first: drop your photos here.')
            : t('Nothing has been shared here so far.')
        }
      />
    ),
  };
  return albumId !== undefined && order?.order === 'custom' ? (
    <OrderedItems {...shared} albumId={albumId} version={String(link.album?.assetCount)} />
  ) : (
    <TimelineView {...shared} timeline={getLinkTimeline(link)} isSettled={!isLoading} />
  );
}

/** An album is shown in its order by date; single photos are, newest first. */
const getLinkTimeline = ({ album }: SharedLink) =>
  getTimeline(album?.order === 'asc' ? { order: 'asc' } : {});

function Head({ link, title }: { link: SharedLink; title: string }) {
  const timeline = getLinkTimeline(link);
  const { data: owner } = useQuery(linkOwnerQuery());
  const count = useStore(timeline.state, ({ months }) =>
    months.reduce((sum, month) => sum + month.count, 0),
  );
  return (
    <header className="view-head">
      <p className={styles.guestBrand}>
        <Logo /> {owner ? t('{name} shares with you', owner) : t('Shared with you')}
      </p>
      <h2>{title}</h2>
      <p className="muted">{t('{count, plural, one {# item} other {# items}}', { count })}</p>
      {link.album?.description && (
        <p className={albumsStyles.albumDescription}>{link.album.description}</p>
      )}
      {(link.allowDownload || link.allowUpload) && (
        <div className="view-actions">
          {link.allowUpload && <UploadButton />}
          {link.allowDownload && count > 0 && (
            <button className="button" onClick={() => void downloadAll(timeline, title)}>
              <Download size={18} aria-hidden /> {t('Download all')}
            </button>
          )}
        </div>
      )}
    </header>
  );
}
