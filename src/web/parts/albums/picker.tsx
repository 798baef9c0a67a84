import { includesText } from '../../../core/fold-text.ts';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { attempt, showToast } from '../../ui/toast.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { addToAlbum, createAlbum, deleteAlbum } from '../../data/albums/album-data.ts';
import { Cover } from './cover.tsx';
import { albumsQuery } from '../../data/albums/queries.ts';
import styles from '../../ui/collections.module.css';
import { t } from '../../base/i18n.ts';

type Props = { ids: readonly string[]; onClose: (isDone: boolean) => void };

/** Puts photos into an album that exists, or into a new one. */
export function AlbumPicker({ ids, onClose }: Props) {
  const { data, error } = useQuery(albumsQuery());
  const [search, setSearch] = useState('');
  const wanted = search.trim();
  const found = (data ?? [])
    .filter(({ albumName }) => includesText(albumName, wanted))
    .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));

  const add = async (work: () => Promise<boolean>) => {
    if (await work()) onClose(true);
  };
  const create = () =>
    attempt(async () => {
      const { id } = await createAlbum(wanted, ids);
      const text = t('{count, plural, one {# item} other {# items}} added to {wanted}', {
        count: ids.length,
        wanted,
      });
      showToast(text, 'success', {
        actions: [
          { label: t('Open'), run: () => navigate(`/albums/${id}`) },
          { label: t('Undo'), run: () => attempt(() => deleteAlbum(id)) },
        ],
      });
    });

  return (
    <Dialog title={t('Add to album')} onClose={() => onClose(false)}>
      <div className="field">
        <label htmlFor="album-search">{t('Find an album, or name a new one')}</label>
        <input
          id="album-search"
          autoFocus
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      {error && <p role="alert">{error.message}</p>}
      <ul className={styles.picker} aria-label={t('Albums')}>
        {wanted && (
          <li>
            <button className={styles.pickerEntry} onClick={() => void add(create)}>
              <span className={styles.pickerNew}>
                <Plus size={20} aria-hidden />
              </span>
              <span>{t('New album “{wanted}”', { wanted })}</span>
            </button>
          </li>
        )}
        {found.map((album) => (
          <li key={album.id}>
            <button
              className={styles.pickerEntry}
              onClick={() => void add(() => addToAlbum(album, ids))}
            >
              <Cover album={album} />
              <span>
                {album.albumName || t('Untitled')}
                <small>
                  {t('{count, plural, one {# item} other {# items}}', { count: album.assetCount })}
                </small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
