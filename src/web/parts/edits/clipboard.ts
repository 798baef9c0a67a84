import type { PictureEditsChange } from '../../../areas/assets/edits/adjustments.schemas.ts';
import { post, put } from '../../base/api.ts';
import { t } from '../../base/i18n.ts';
import { mutate } from '../../base/query-client.ts';
import { keys, PHOTOS } from '../../data/query-keys.ts';
import { toChunks } from '../../data/assets/asset-actions.ts';
import { attempt, showToast, showUndo } from '../../ui/toast.tsx';
import { copiedEdits } from './copied.ts';
import { fetchState, toSteps } from '../../data/edits/edit-data.ts';

/** The most photos of one request. */
const MAX_REQUEST_SIZE = 500;

export const copyEdits = (id: string): Promise<boolean> =>
  attempt(async () => copiedEdits.set(await fetchState(id)), t('Edits copied'));

/**
 * Gives photos the copied light, colour and angle, and the crop where it fits. `onChanged` follows each change, also
 * the one that takes it back.
 */
export function pasteEdits(
  ids: readonly string[],
  onChanged?: () => Promise<void>,
): Promise<boolean> {
  const copied = copiedEdits.get();
  if (!copied) return Promise.resolve(false);
  const { edits, adjustments, size } = copied;
  const values = { edits: toSteps(edits, size), adjustments, size };
  return attempt(async () => {
    const results: PictureEditsChange[] = [];
    for (const assetIds of toChunks(ids, MAX_REQUEST_SIZE)) {
      results.push(
        await mutate(
          () => post<PictureEditsChange>('/assets/adjustments/paste', { assetIds, ...values }),
          { invalidates: [...PHOTOS, keys.assets] },
        ),
      );
    }
    const changed = results.flatMap((result) => result.changed);
    const skipped = results.reduce((sum, result) => sum + result.skipped.length, 0);
    tell(changed, skipped, onChanged);
    if (changed.length > 0) void onChanged?.();
  });
}

type Changed = PictureEditsChange['changed'];

function tell(changed: Changed, skipped: number, onChanged?: () => Promise<void>): void {
  const left = t('{count, plural, one {# item} other {# items}} cannot be edited', {
    count: skipped,
  });
  if (changed.length === 0) return showToast(left);
  const done = t('Edits pasted on {count, plural, one {# item} other {# items}}', {
    count: changed.length,
  });
  showUndo(skipped > 0 ? `${done}. ${left}` : done, () => takeBack(changed, onChanged));
}

/** Photos that were edited again meanwhile stay as they are. */
const takeBack = (changed: Changed, onChanged?: () => Promise<void>): Promise<boolean> =>
  attempt(async () => {
    for (const part of toChunks(changed, MAX_REQUEST_SIZE)) {
      const items = part.map(({ assetId, revision, before }) => ({
        assetId,
        expectedRevision: revision,
        ...before,
      }));
      await mutate(() => put('/assets/adjustments', { items }), {
        invalidates: [...PHOTOS, keys.assets],
      });
    }
    await onChanged?.();
  });
