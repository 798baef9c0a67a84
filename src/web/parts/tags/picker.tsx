import { Plus } from 'lucide-react';
import { useState } from 'react';
import { attempt } from '../../ui/toast.tsx';
import type { Tag } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useTags } from '../../data/tags/queries.ts';
import { tagAssets, upsertTag } from '../../data/tags/tag-data.ts';
import { TagDot } from './tag-dot.tsx';
import { findTags } from './tree.ts';
import albumsStyles from '../../ui/collections.module.css';
import { t } from '../../base/i18n.ts';

type Props = { ids: readonly string[]; onClose: (isDone: boolean) => void };

/** Puts a tag that exists, or a new one, on photos. */
export function TagPicker({ ids, onClose }: Props) {
  const { data: tags, error } = useTags();
  const [search, setSearch] = useState('');
  const wanted = search.normalize('NFC').trim();
  const found = findTags(tags?.list ?? [], wanted);
  const isKnown = found.some(({ value }) => value.toLowerCase() === wanted.toLowerCase());

  const choose = async (tag: Tag) => {
    if (await tagAssets(tag, ids)) onClose(true);
  };
  const create = () => attempt(async () => choose(await upsertTag(wanted)));

  return (
    <Dialog title={t('Tag')} onClose={() => onClose(false)}>
      <div className="field">
        <label htmlFor="tag-search">{t('Find a tag, or name a new one')}</label>
        <input
          id="tag-search"
          autoFocus
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            if (found.length === 1 && found[0]) void choose(found[0]);
            else if (wanted && found.length === 0) void create();
          }}
        />
        <p className="field-note">{t('Travel/Japan makes a tag Japan below Travel.')}</p>
      </div>
      {error && <p role="alert">{error.message}</p>}
      <ul className={albumsStyles.picker} aria-label={t('Tags')}>
        {wanted && !isKnown && (
          <li>
            <button className={albumsStyles.pickerEntry} onClick={() => void create()}>
              <Plus size={18} aria-hidden /> {t('New tag “{wanted}”', { wanted })}
            </button>
          </li>
        )}
        {found.map((tag) => (
          <li key={tag.id}>
            <button className={albumsStyles.pickerEntry} onClick={() => void choose(tag)}>
              <TagDot color={tag.color} />
              <span>{tag.value.replaceAll('/', ' / ')}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
