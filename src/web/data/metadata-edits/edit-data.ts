import { queryOptions } from '@tanstack/react-query';
import type {
  ChangeResponse,
  Preview,
  UndoResponse,
} from '../../../areas/metadata-changes/schemas.ts';
import type { FoundPlace } from '../../../areas/search/listings/listings.schemas.ts';
import { get, post } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys, PHOTOS } from '../query-keys.ts';
import { createPersonalStore } from '../../base/store.ts';
import { toChunks } from '../assets/asset-actions.ts';
import { attempt, showToast, showUndo } from '../../ui/toast.tsx';
import type { Asset } from '../types.ts';
import type { Change } from './change.ts';
import { t } from '../../base/i18n.ts';

/** The most items of one request. */
const MAX_ITEMS = 5000;

/** The photo whose date and place were copied last. */
export const copiedPhoto = createPersonalStore<{ id: string; name: string } | undefined>(undefined);

export function copyDateAndPlace({ id, originalFileName }: Asset): void {
  copiedPhoto.set({ id, name: originalFileName });
  showToast(t('Copied. Choose “Same as another photo” when you edit others.'), 'success');
}

/** The data that shows dates, places, ratings and descriptions. */
export const CHANGED_DATA = [...PHOTOS, keys.assets, keys.explore, keys.memories, keys.search];

/** Shows what the change would do to the first items that fit into a request. */
export const previewQuery = (ids: readonly string[], change: Change | undefined) =>
  queryOptions({
    queryKey: [...keys.assets, 'metadata-preview', ids[0], ids.length, change],
    queryFn: () =>
      post<Preview>('/metadata-changes/preview', { assetIds: ids.slice(0, MAX_ITEMS), ...change }),
    enabled: change !== undefined,
    gcTime: 0,
    placeholderData: (old) => old,
  });

export const placesQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.towns, 'named', name],
    queryFn: () => get<FoundPlace[]>('/search/places', { name }),
    enabled: name.length > 1,
    placeholderData: (old) => (name.length > 1 ? old : undefined),
  });

/** Changes all items and offers the way back. Rejects with the server's refusal. */
export async function changeMetadata(ids: readonly string[], change: Change): Promise<void> {
  const made: ChangeResponse[] = [];
  try {
    await mutate(
      async () => {
        for (const assetIds of toChunks(ids, MAX_ITEMS)) {
          made.push(await post<ChangeResponse>('/metadata-changes', { assetIds, ...change }));
        }
      },
      { invalidates: CHANGED_DATA },
    );
  } finally {
    offerUndo(made);
  }
}

/** Says how many items were changed, with the way back; also where only some requests succeeded. */
export function offerUndo(made: readonly ChangeResponse[]): void {
  if (made.length === 0) return;
  const count = made.reduce((sum, { changed }) => sum + changed, 0);
  showUndo(t('{count, plural, one {# item} other {# items}} changed', { count }), () =>
    undoChanges(made),
  );
}

async function undoChanges(made: readonly ChangeResponse[]): Promise<void> {
  let kept = 0;
  const isDone = await attempt(() =>
    mutate(
      async () => {
        for (const { id } of made) {
          kept += (await post<UndoResponse>(`/metadata-changes/${id}/undo`)).kept;
        }
      },
      { invalidates: CHANGED_DATA },
    ),
  );
  if (!isDone) return;
  showToast(
    kept === 0
      ? t('Change undone')
      : t(
          '{kept, plural, one {Undone, but # item had changed since} other {Undone, but # items had changed since}}',
          { kept },
        ),
    'success',
  );
}
