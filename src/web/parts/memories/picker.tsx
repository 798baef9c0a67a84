import { includesText } from '../../../core/fold-text.ts';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import albumsStyles from '../../ui/collections.module.css';
import { getPictureUrl } from '../../base/pictures.ts';
import { attempt, showToast } from '../../ui/toast.tsx';
import type { Memory } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import {
  addPictures,
  createMemory,
  deleteMemory,
  playlist,
  removeFromMemory,
} from '../../data/memories/memory-data.ts';
import { memoriesQuery } from '../../data/memories/queries.ts';
import styles from './memories.module.css';
import { t } from '../../base/i18n.ts';

type Props = { ids: readonly string[]; onClose: (isDone: boolean) => void };

/** Puts photos into a saved memory, or into a new one, which is saved at once. */
export function MemoryPicker({ ids, onClose }: Props) {
  const { data, error } = useQuery(memoriesQuery({ isSaved: true }));
  const [path, navigate] = useLocation();
  const [search, setSearch] = useState('');
  const wanted = search.trim();
  const found = (data ?? []).filter(({ name }) => includesText(name ?? '', wanted));
  const tell = (memory: Memory, done: string, undo: () => Promise<unknown>) => {
    const play = () => {
      playlist.set({ memories: [memory], from: path });
      navigate(`/memories/${memory.id}`);
    };
    const actions = [
      { label: t('Play'), run: play },
      { label: t('Undo'), run: () => attempt(undo) },
    ];
    showToast(done, 'success', { actions });
  };
  const create = async () => {
    const memory = await createMemory(wanted, ids);
    tell(memory, t('Memory created'), () => deleteMemory(memory.id));
  };
  const addTo = async ({ id }: Memory) => {
    const { memory, added } = await addPictures(id, ids);
    tell(memory, t('Added to the memory'), () => removeFromMemory(id, added));
  };
  const run = async (work: () => Promise<void>) => {
    if (await attempt(work)) onClose(true);
  };
  return (
    <Dialog title={t('Add to memory')} onClose={() => onClose(false)}>
      <div className="field">
        <label htmlFor="memory-search">{t('Find a memory, or name a new one')}</label>
        <input
          id="memory-search"
          autoFocus
          maxLength={255}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      {error && <p role="alert">{error.message}</p>}
      <ul className={albumsStyles.picker} aria-label={t('Memories')}>
        {wanted && (
          <li>
            <button className={albumsStyles.pickerEntry} onClick={() => void run(create)}>
              <span className={albumsStyles.pickerNew}>
                <Plus size={20} aria-hidden />
              </span>
              <span>{t('New memory “{wanted}”', { wanted })}</span>
            </button>
          </li>
        )}
        {found.map((memory) => (
          <li key={memory.id}>
            <button
              className={albumsStyles.pickerEntry}
              onClick={() => void run(() => addTo(memory))}
            >
              <Cover memory={memory} />
              <span>
                {memory.name ?? t('Memory')}
                <small>
                  {t('{count, plural, one {# item} other {# items}}', {
                    count: memory.assets.length,
                  })}
                </small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Cover({ memory }: { memory: Memory }) {
  const first = memory.assets[0];
  return first ? (
    <img
      className={styles.cover}
      src={getPictureUrl(first.id, 'thumbnail', first.thumbhash)}
      alt=""
      loading="lazy"
    />
  ) : (
    <span className={styles.cover} />
  );
}
