import { ChevronRight, Library, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { readStorage, writeStorage } from '../../base/storage.ts';
import type { Me } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { Empty, Failure, Page } from '../../ui/elements.tsx';
import { createAlbum } from '../../data/albums/album-data.ts';
import {
  ALBUM_ORDERS,
  type AlbumGroup,
  type AlbumOrder,
  getAlbumLevel,
  sortAlbums,
  splitAlbumName,
} from '../../data/albums/album-order.ts';
import { AlbumCards } from '../../parts/albums/album-cards.tsx';
import { Cover } from '../../parts/albums/cover.tsx';
import { useAlbums } from '../../data/albums/queries.ts';
import styles from '../../ui/collections.module.css';
import { t } from '../../base/i18n.ts';

const ORDER_KEY = 'album-order';
const ORDER_LABELS: Readonly<Record<AlbumOrder, string>> = {
  newest: t('Newest photos first'),
  oldest: t('Oldest photos first'),
  title: t('Title'),
  changed: t('Last changed'),
  largest: t('Most items'),
};
const isOrder = (text: string | null): text is AlbumOrder =>
  ALBUM_ORDERS.some((order) => order === text);
function readOrder(): AlbumOrder {
  const stored = readStorage(ORDER_KEY);
  return isOrder(stored) ? stored : 'newest';
}

export function AlbumsPage({ me }: { me: Me }) {
  const { data, error, refetch } = useAlbums();
  const [isCreating, setCreating] = useState(false);
  const [order, setOrder] = useState(readOrder);
  const path = new URLSearchParams(useSearch()).get('in') ?? '';
  const { groups, albums } = getAlbumLevel(sortAlbums(data ?? [], order), path);
  const actions = (
    <>
      {data && data.length > 1 && (
        <select
          aria-label={t('Sort albums')}
          value={order}
          onChange={(event) => {
            const next = event.target.value;
            if (!isOrder(next)) return;
            setOrder(next);
            writeStorage(ORDER_KEY, next);
          }}
        >
          {ALBUM_ORDERS.map((name) => (
            <option key={name} value={name}>
              {ORDER_LABELS[name]}
            </option>
          ))}
        </select>
      )}
      <button className="button" onClick={() => setCreating(true)}>
        <Plus size={18} aria-hidden /> {t('New album')}
      </button>
    </>
  );
  return (
    <Page title={t('Albums')} actions={actions}>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <Empty
          icon={Library}
          title={t('No albums yet')}
          text={t('Collect photos of a trip, a person or a project, and share them.')}
        />
      )}
      {path && <Breadcrumb path={path} />}
      {groups.length > 0 && (
        <ul className={styles.albums} aria-label={t('Groups of albums')}>
          {groups.map((group) => (
            <li key={group.path}>
              <GroupCard group={group} />
            </li>
          ))}
        </ul>
      )}
      <AlbumCards albums={albums} me={me} path={path} />
      {isCreating && <NewAlbum path={path} onClose={() => setCreating(false)} />}
    </Page>
  );
}

const toGroupHref = (path: string): string =>
  path ? `/albums?${new URLSearchParams({ in: path })}` : '/albums';

function Breadcrumb({ path }: { path: string }) {
  const parts = splitAlbumName(path);
  return (
    <nav className={styles.breadcrumb} aria-label={t('Path')}>
      <Link href="/albums">{t('Albums')}</Link>
      {parts.map((part, index) => (
        <span key={parts.slice(0, index + 1).join('/')}>
          <ChevronRight size={16} aria-hidden />
          <Link
            href={toGroupHref(parts.slice(0, index + 1).join('/'))}
            aria-current={index === parts.length - 1 ? 'page' : undefined}
          >
            {part}
          </Link>
        </span>
      ))}
    </nav>
  );
}

function GroupCard({ group: { name, path, albums } }: { group: AlbumGroup }) {
  const [first] = albums.filter((album) => album.albumThumbnailAssetId);
  return (
    <Link href={toGroupHref(path)} className={`${styles.albumCard} ${styles.group}`}>
      <Cover album={first ?? albums[0]} size="preview" />
      <span className={styles.albumName}>{name}</span>
      <span className={styles.albumNote}>
        {t('{count, plural, one {# album} other {# albums}}', { count: albums.length })}
      </span>
    </Link>
  );
}

function NewAlbum({ path, onClose }: { path: string; onClose: () => void }) {
  const [, navigate] = useLocation();
  const form = useForm(async (values) => {
    const album = await createAlbum(values['albumName'] ?? '');
    onClose();
    navigate(`/albums/${album.id}`);
  });
  return (
    <Dialog title={t('New album')} onClose={onClose}>
      <Form state={form} action={t('Create')}>
        <Field
          label={t('Name')}
          name="albumName"
          required
          autoFocus
          defaultValue={path && `${path}/`}
          hint={t('Albums with names such as “Trips/Norway” and “Trips/Iceland” form a group.')}
          error={form.fields['albumName']}
        />
      </Form>
    </Dialog>
  );
}
