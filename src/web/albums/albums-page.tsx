import { Library, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { formatDateRange } from '../format.ts';
import type { Album, Me } from '../types.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form, useForm } from '../ui/form.tsx';
import { Empty, Page } from '../ui/parts.tsx';
import { createAlbum, findOwner } from './album-data.ts';
import { Cover } from './cover.tsx';
import { useAlbums } from './queries.ts';
import styles from './albums.module.css';
import { t } from '../i18n.ts';

export function AlbumsPage({ me }: { me: Me }) {
  const { data, error } = useAlbums();
  const [isCreating, setCreating] = useState(false);
  const albums = (data ?? []).toSorted((a, b) => sortKey(b).localeCompare(sortKey(a)));
  const button = (
    <button className="button" onClick={() => setCreating(true)}>
      <Plus size={18} aria-hidden /> {t('New album')}
    </button>
  );
  return (
    <Page title={t('Albums')} actions={button}>
      {error && <p role="alert">{error.message}</p>}
      {data?.length === 0 && (
        <Empty
          icon={Library}
          title={t('No albums yet')}
          text={t('Collect photos of a trip, a person or a project, and share them.')}
        />
      )}
      <ul className={styles.albums}>
        {albums.map((album) => (
          <li key={album.id}>
            <AlbumCard album={album} me={me} />
          </li>
        ))}
      </ul>
      {isCreating && <NewAlbum onClose={() => setCreating(false)} />}
    </Page>
  );
}

const sortKey = (album: Album): string => album.endDate ?? album.updatedAt;

function AlbumCard({ album, me }: { album: Album; me: Me }) {
  const owner = findOwner(album);
  const isMine = owner?.id === me.id;
  const notes = [
    t('{count, plural, one {# item} other {# items}}', { count: album.assetCount }),
    formatDateRange(album.startDate, album.endDate),
    !isMine && owner ? t('from {name}', { name: owner.name }) : album.shared ? t('shared') : '',
  ];
  return (
    <Link href={`/albums/${album.id}`} className={styles.albumCard}>
      <Cover album={album} size="preview" />
      <span className={styles.albumName}>{album.albumName || t('Untitled')}</span>
      <span className={styles.albumNote}>{notes.filter(Boolean).join(' · ')}</span>
    </Link>
  );
}

function NewAlbum({ onClose }: { onClose: () => void }) {
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
          error={form.fields['albumName']}
        />
      </Form>
    </Dialog>
  );
}
