import { put } from '../../base/api.ts';
import { createStore } from '../../base/store.ts';
import { invalidateSoon } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import { attempt } from '../../ui/toast.tsx';

export type UploadAlbum = { readonly id: string; readonly albumName: string };

/** The album that is on the screen, if the account may add to it: what is uploaded there goes into it. */
export const uploadAlbum = createStore<UploadAlbum | undefined>(undefined);

/** Files that arrive within this time are added in one request. */
const DEBOUNCE_MS = 500;
const pendingAssetIds = new Map<string, Set<string>>();

/** Adds uploaded assets to an album, a moment later and many at a time. */
export function addToAlbumSoon({ id }: UploadAlbum, assetIds: readonly string[]): void {
  if (assetIds.length === 0) return;
  const waiting = pendingAssetIds.get(id);
  if (waiting) {
    for (const assetId of assetIds) waiting.add(assetId);
    return;
  }
  pendingAssetIds.set(id, new Set(assetIds));
  setTimeout(() => void flush(id), DEBOUNCE_MS);
}

async function flush(albumId: string): Promise<void> {
  const ids = [...(pendingAssetIds.get(albumId) ?? [])];
  pendingAssetIds.delete(albumId);
  await attempt(() => put(`/albums/${albumId}/assets`, { ids }));
  // As of events: a thousand files come in many such requests.
  invalidateSoon(keys.albums);
  invalidateSoon(keys.timeline);
}
