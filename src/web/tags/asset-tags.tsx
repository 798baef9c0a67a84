import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { fetchAsset } from '../timeline/asset-actions.ts';
import type { Asset } from '../types.ts';
import { IconButton } from '../ui/parts.tsx';
import { TagPicker } from './picker.tsx';
import { untagAssets } from './tag-data.ts';
import { TagDot } from './tag-dot.tsx';
import infoPanelStyles from '../viewer/info-panel.module.css';
import styles from './tags.module.css';

type Props = { asset: Asset; onChange: (asset: Asset) => void };

/** The tags of the photo that is looked at. */
export function AssetTags({ asset, onChange }: Props) {
  const [isPicking, setPicking] = useState(false);
  const reload = async () => onChange(await fetchAsset(asset.id));
  return (
    <section className={infoPanelStyles.infoSection}>
      <header>
        <h3>Tags</h3>
        <IconButton
          icon={Plus}
          label="Add a tag"
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
              aria-label={`Remove ${tag.name}`}
              onClick={() =>
                void untagAssets(tag, [asset.id]).then((isDone) => {
                  if (isDone) void reload();
                })
              }
            >
              <X size={14} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      {isPicking && (
        <TagPicker
          ids={[asset.id]}
          onClose={(isDone) => {
            setPicking(false);
            if (isDone) void reload();
          }}
        />
      )}
    </section>
  );
}
