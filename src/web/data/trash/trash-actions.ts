import { post, remove } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { PHOTOS } from '../query-keys.ts';
import { toChunks } from '../assets/asset-actions.ts';
import { attempt, showUndo } from '../../ui/toast.tsx';
import type { TrashMove, TrashReview } from '../types.ts';
import { t } from '../../base/i18n.ts';

const trash = (ids: readonly string[]): Promise<void> =>
  mutate(
    async () => {
      for (const part of toChunks(ids)) await remove('/assets', { ids: part });
    },
    { invalidates: PHOTOS },
  );

const untrash = (ids: readonly string[]): Promise<void> =>
  mutate(
    async () => {
      for (const part of toChunks(ids)) {
        await post<TrashMove>('/trash/restore/assets', { ids: part });
      }
    },
    { invalidates: PHOTOS },
  );

export async function moveToTrash(ids: ReadonlySet<string>): Promise<boolean> {
  const list = [...ids];
  const isDone = await attempt(() => trash(list));
  if (isDone) {
    showUndo(
      t('{count, plural, one {# item} other {# items}} moved to the trash', { count: list.length }),
      () => attempt(() => untrash(list)),
    );
  }
  return isDone;
}

export async function restore(ids: ReadonlySet<string>): Promise<boolean> {
  const list = [...ids];
  const isDone = await attempt(() => untrash(list));
  if (isDone) {
    showUndo(
      t('{count, plural, one {# item} other {# items}} restored', { count: list.length }),
      () => attempt(() => trash(list)),
    );
  }
  return isDone;
}

/** Actions that cannot be undone, or are about all of the trash: they are reviewed before. */
export type Reviewed =
  { action: 'delete'; assetIds: readonly string[] } | { action: 'empty' | 'restore-all' };

/** Rejects with status 409, having done nothing, if the reviewed items are not the same any more. */
export const applyReview = (reviewed: Reviewed, { token }: TrashReview): Promise<TrashMove> =>
  mutate(() => post('/trash/apply', { ...reviewed, token }), { invalidates: PHOTOS });
