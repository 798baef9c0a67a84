import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { Asset } from '../../data/types.ts';
import { IconButton } from '../../ui/elements.tsx';
import { TagPicker } from './picker.tsx';
import { untagAssets } from '../../data/tags/tag-data.ts';
import { TagDot } from './tag-dot.tsx';
import infoPanelStyles from '../../ui/info-panel.module.css';
import styles from './tags.module.css';
import { t } from '../../base/i18n.ts';

/** The tags of one photo. */
export function AssetTags({ asset }: { asset: Asset }) {
  const [isPicking, setPicking] = useState(false);
  return (
    <section className={infoPanelStyles.infoSection}>
      <header>
        <h3>{t('Tags')}</h3>
        <IconButton
          icon={Plus}
          label={t('Add a tag')}
          className="small"
          onClick={() => setPicking(true)}
        />
      </header>
      <ul className="chips">
        {asset.tags?.map((tag) => (
          <li key={tag.id} className="chip">
            <TagDot color={tag.color} /> {tag.value.replaceAll('/', ' / ')}
            <button
              className={styles.chipRemove}
              aria-label={t('Remove {name}', { name: tag.name })}
              onClick={() => void untagAssets(tag, [asset.id])}
            >
              <X size={14} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      {isPicking && <TagPicker ids={[asset.id]} onClose={() => setPicking(false)} />}
    </section>
  );
}
