import { ArrowUpToLine } from 'lucide-react';
import { useState } from 'react';
import type { Tag } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useTags } from '../../data/tags/queries.ts';
import { moveTag } from '../../data/tags/tag-data.ts';
import { TagDot } from '../../parts/tags/tag-dot.tsx';
import { findTags, listMoveTargets } from '../../parts/tags/tree.ts';
import albumsStyles from '../../ui/collections.module.css';
import { t } from '../../base/i18n.ts';

/** Hangs a tag below another one, or at the top; the same as dragging it there. */
export function MoveDialog({ tag, onClose }: { tag: Tag; onClose: () => void }) {
  const { data: tags } = useTags();
  const [search, setSearch] = useState('');
  const found = findTags(listMoveTargets(tags?.list ?? [], tag), search.trim());
  const choose = (parent: Tag | undefined) => {
    onClose();
    void moveTag(tag, parent);
  };
  return (
    <Dialog title={t('Move “{name}” below …', { name: tag.name })} onClose={onClose}>
      <div className="field">
        <input
          aria-label={t('Find a tag')}
          placeholder={t('Find a tag')}
          autoFocus
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      <ul className={albumsStyles.picker} aria-label={t('Tags')}>
        {tag.parentId && (
          <li>
            <button className={albumsStyles.pickerEntry} onClick={() => choose(undefined)}>
              <ArrowUpToLine size={18} aria-hidden /> {t('To the top')}
            </button>
          </li>
        )}
        {found.map((parent) => (
          <li key={parent.id}>
            <button className={albumsStyles.pickerEntry} onClick={() => choose(parent)}>
              <TagDot color={parent.color} />
              <span>{parent.value.replaceAll('/', ' / ')}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
