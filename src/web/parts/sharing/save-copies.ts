import { post } from '../../base/api.ts';
import { t } from '../../base/i18n.ts';
import { mutate } from '../../base/query-client.ts';
import { PHOTOS } from '../../data/query-keys.ts';
import { toChunks } from '../../data/assets/asset-actions.ts';
import { attempt, showToast, showUndo } from '../../ui/toast.tsx';
import { moveToTrash } from '../../data/trash/trash-actions.ts';
import type { SavedAsset } from '../../data/types.ts';

/** The server copies the files before it answers. */
const MAX_REQUEST_SIZE = 25;

const saveCopies = (ids: readonly string[]): Promise<SavedAsset[]> =>
  mutate(
    async () => {
      const results: SavedAsset[] = [];
      for (const part of toChunks(ids, MAX_REQUEST_SIZE)) {
        results.push(...(await post<SavedAsset[]>('/assets/save', { ids: part })));
      }
      return results;
    },
    { invalidates: PHOTOS },
  );

/** Adds copies of others' photos to the own library, and tells how many are new in it. */
export const saveToLibrary = (ids: readonly string[]): Promise<boolean> =>
  attempt(async () => {
    const results = await saveCopies(ids);
    const saved = results.flatMap(({ assetId }) => assetId ?? []);
    const text = summarize(results);
    const isRefused = results.some(({ success, error }) => !success && error !== 'duplicate');
    if (saved.length === 0) showToast(text, isRefused ? 'error' : 'success');
    else showUndo(text, () => moveToTrash(new Set(saved)));
  });

export function summarize(results: readonly SavedAsset[]): string {
  const saved = results.filter(({ success }) => success).length;
  const count = (reason: SavedAsset['error']) =>
    results.filter(({ error }) => error === reason).length;
  const known = count('duplicate');
  const hidden = count('no_permission');
  const refused = results.length - saved - known - hidden;
  const parts = [
    saved > 0 &&
      t('{saved, plural, one {# item} other {# items}} saved to your library', { saved }),
    known > 0 &&
      t('{known, plural, one {# item} other {# items}} already in your library', { known }),
    hidden > 0 &&
      t('{hidden, plural, one {# item} other {# items}} not saved: the owner hides the place', {
        hidden,
      }),
    refused > 0 &&
      t('{refused, plural, one {# item} other {# items}} could not be saved', { refused }),
  ];
  return parts.filter(Boolean).join(', ');
}
