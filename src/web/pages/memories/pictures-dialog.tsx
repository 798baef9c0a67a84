import { Check } from 'lucide-react';
import { useState } from 'react';
import { describeAsset } from './describe-asset.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import type { Memory } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, useForm } from '../../ui/form.tsx';
import { removePictures } from '../../data/memories/memory-data.ts';
import styles from './pictures.module.css';
import { t } from '../../base/i18n.ts';

type Props = { memory: Memory; onClose: () => void };

/** Chooses which of its pictures a memory shows. */
export function PicturesDialog({ memory, onClose }: Props) {
  const [assets] = useState(memory.assets);
  const [dropped, setDropped] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) => {
    const next = new Set(dropped);
    if (!next.delete(id)) next.add(id);
    setDropped(next);
  };
  const form = useForm(async () => {
    if (dropped.size > 0) await removePictures(memory.id, [...dropped]);
    onClose();
  });
  return (
    <Dialog title={t('Edit pictures')} onClose={onClose} isWide>
      <Form
        state={form}
        action={t('Save')}
        isOff={dropped.size === assets.length}
        extra={
          <p className={`muted ${styles.count}`} role="status">
            {t('{chosen} of {total} pictures', {
              chosen: assets.length - dropped.size,
              total: assets.length,
            })}
          </p>
        }
      >
        <ul className={styles.pictures} aria-label={t('Pictures of the memory')}>
          {assets.map((asset) => (
            <li key={asset.id}>
              <button
                type="button"
                role="checkbox"
                aria-checked={!dropped.has(asset.id)}
                aria-label={describeAsset(asset)}
                onClick={() => toggle(asset.id)}
              >
                <img
                  src={getPictureUrl(asset.id, 'thumbnail', asset.thumbhash)}
                  alt=""
                  loading="lazy"
                  draggable={false}
                />
                <Check size={16} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      </Form>
    </Dialog>
  );
}
