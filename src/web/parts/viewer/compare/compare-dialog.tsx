import { useQuery } from '@tanstack/react-query';
import { Trash2, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { compareFacts } from '../../duplicates/facts.ts';
import { t } from '../../../base/i18n.ts';
import { getPictureUrl } from '../../../base/pictures.ts';
import { useMyId } from '../../../data/session/session.ts';
import { moveToTrash } from '../../../data/trash/trash-actions.ts';
import type { Asset } from '../../../data/types.ts';
import { IconButton } from '../../../ui/elements.tsx';
import { openModal } from '../../../ui/top-dialog.ts';
import { assetQuery } from '../../../data/viewer/queries.ts';
import type { PanZoom } from './pan-zoom.ts';
import { usePanZoom } from './use-pan-zoom.ts';
import styles from './compare.module.css';

type Props = {
  ids: readonly [string, string];
  /** `isDone`: one of the two is in the trash. */
  onClose: (isDone: boolean) => void;
};

/** Two photos side by side, zoomed and moved together, and where they differ. */
export function CompareDialog({ ids, onClose }: Props) {
  const first = useQuery(assetQuery(ids[0])).data;
  const second = useQuery(assetQuery(ids[1])).data;
  const { view, gestures, onKey } = usePanZoom();
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    return box.current ? openModal(box.current) : undefined;
  }, []);
  const assets = first && second ? [first, second] : [];
  const facts = compareFacts(assets).filter(({ isDifferent }) => isDifferent);
  return (
    <dialog
      ref={box}
      className={styles.compare}
      data-scheme="dark"
      aria-label={t('Compare')}
      onCancel={(event) => {
        event.preventDefault();
        onClose(false);
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (onKey(event.key)) event.preventDefault();
      }}
    >
      <IconButton
        icon={X}
        label={t('Close')}
        className={styles.close}
        onClick={() => onClose(false)}
      />
      {assets.map((asset, at) => (
        <figure key={asset.id} className={styles.side}>
          <div className={styles.pane} {...gestures}>
            <Picture asset={asset} view={view} />
          </div>
          <figcaption>
            <dl className={styles.facts}>
              {facts.map(({ name, values, best }) => (
                <div key={name} data-best={best.has(at) || undefined}>
                  <dt>{name}</dt>
                  <dd>{values[at] || '–'}</dd>
                </div>
              ))}
            </dl>
            <TrashButton asset={asset} onDone={() => onClose(true)} />
          </figcaption>
        </figure>
      ))}
    </dialog>
  );
}

/** The preview first; zoomed in, the full size takes its place when it has come. */
function Picture({ asset, view }: { asset: Asset; view: PanZoom }) {
  const { id, thumbhash, originalFileName } = asset;
  const transform = `translate(${view.x * 100}%, ${view.y * 100}%) scale(${view.scale})`;
  return (
    <div className={styles.picture} style={{ transform }}>
      <img src={getPictureUrl(id, 'preview', thumbhash)} alt={originalFileName} draggable={false} />
      {view.scale > 1 && (
        <img src={getPictureUrl(id, 'fullsize', thumbhash)} alt="" draggable={false} />
      )}
    </div>
  );
}

function TrashButton({ asset, onDone }: { asset: Asset; onDone: () => void }) {
  const me = useMyId();
  if (asset.ownerId !== me || asset.isTrashed) return null;
  const trash = async () => {
    if (await moveToTrash(new Set([asset.id]))) onDone();
  };
  return (
    <IconButton
      icon={Trash2}
      label={t('Move {name} to the trash', { name: asset.originalFileName })}
      onClick={() => void trash()}
    />
  );
}
