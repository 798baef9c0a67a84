import { t } from '../../base/i18n.ts';
import { attempt, showUndo } from '../../ui/toast.tsx';
import type { Asset } from '../../data/types.ts';
import { fetchState, saveState, turnAngle } from '../../data/edits/edit-data.ts';

/** Turns run one after the other: each begins with what the one before it has saved. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Turns a photo by 90 degrees to the right, or by -90 to the left, on top of its other edits.
 * `onSaved` follows each change, also the one that takes the turn back.
 */
export function rotatePhoto(asset: Asset, by: 90 | -90, onSaved: () => Promise<void>): void {
  const run = () =>
    attempt(async () => {
      const before = await fetchState(asset.id);
      const { edits } = before;
      const angle = turnAngle(edits.angle, edits.isMirrored ? -by : by);
      const { revision } = await saveState(asset.id, { ...before, edits: { ...edits, angle } });
      showUndo(t('Rotated'), () =>
        attempt(async () => {
          await saveState(asset.id, { ...before, revision });
          await onSaved();
        }),
      );
      void onSaved();
    });
  last = last.then(run);
}

/** Moving pictures, panoramas and drawings stay as they are. */
export const isEditable = ({
  type,
  livePhotoVideoId,
  originalFileName,
  exifInfo,
  width,
}: Asset): boolean =>
  type === 'IMAGE' &&
  !livePhotoVideoId &&
  Boolean(width) &&
  exifInfo?.projectionType !== 'EQUIRECTANGULAR' &&
  !/\.(gif|svg)$/i.test(originalFileName);
