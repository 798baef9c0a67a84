import { Layers2, ListMinus, Star } from 'lucide-react';
import { getPictureUrl } from '../../base/pictures.ts';
import type { Asset, Stack } from '../../data/types.ts';
import { cornerOverlay } from '../../ui/corner.ts';
import { IconButton } from '../../ui/elements.tsx';
import { changePrimary, removeFromStack, unstack } from '../../data/stacks/stack-data.ts';
import styles from './stacks.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  stack: Stack;
  /** The member that is seen large. */
  shownId: string;
  isMine: boolean;
  onShow: (asset: Asset) => void;
  /** After the stack itself was changed. */
  onChange: (isGone: boolean) => void;
};

/** All photos of a stack, below the one that is looked at. */
export function StackStrip({ stack, shownId, isMine, onShow, onChange }: Props) {
  const isPrimary = shownId === stack.primaryAssetId;
  const then = (work: Promise<boolean>, isGone: boolean) =>
    void work.then((isDone) => isDone && onChange(isGone));
  return (
    <div ref={cornerOverlay} className="stack-strip">
      <ul aria-label={t('Photos of this stack')}>
        {stack.assets.map((asset, index) => (
          <li key={asset.id}>
            <button
              aria-label={t('Photo {index} of {count}: {originalFileName}', {
                index: index + 1,
                count: stack.assets.length,
                originalFileName: asset.originalFileName,
              })}
              aria-current={asset.id === shownId}
              onClick={() => onShow(asset)}
            >
              <img src={getPictureUrl(asset.id, 'thumbnail', asset.thumbhash)} alt="" />
              {asset.id === stack.primaryAssetId && (
                <Star size={12} fill="currentColor" aria-hidden />
              )}
            </button>
          </li>
        ))}
      </ul>
      {isMine && (
        <div className={styles.stackActions}>
          {!isPrimary && (
            <>
              <IconButton
                icon={Star}
                label={t('Show this one first')}
                onClick={() => then(changePrimary(stack, shownId), false)}
              />
              <IconButton
                icon={ListMinus}
                label={t('Remove from the stack')}
                onClick={() => then(removeFromStack(stack, shownId), stack.assets.length === 2)}
              />
            </>
          )}
          <IconButton
            icon={Layers2}
            label={t('Unstack all')}
            onClick={() => then(unstack(stack), true)}
          />
        </div>
      )}
    </div>
  );
}
