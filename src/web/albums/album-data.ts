import { get, patch, post, put, remove } from '../api.ts';
import { formatCount } from '../format.ts';
import { attempt, showToast, showUndo } from '../toast.tsx';
import { refreshTimelines } from '../timeline/timeline-data.ts';
import type { Album, AlbumRole, BulkResult, Me, Person } from '../types.ts';

export const fetchAlbums = (): Promise<Album[]> => get('/albums');
export const fetchAlbum = (id: string): Promise<Album> => get(`/albums/${id}`);
export const fetchPeople = (): Promise<Person[]> => get('/users');

export const createAlbum = (albumName: string, assetIds: readonly string[] = []): Promise<Album> =>
  post('/albums', { albumName, ...(assetIds.length > 0 ? { assetIds } : {}) });

export const changeAlbum = (
  id: string,
  change: {
    albumName?: string;
    description?: string;
    albumThumbnailAssetId?: string;
    isActivityEnabled?: boolean;
  },
): Promise<Album> => patch(`/albums/${id}`, change);

export const deleteAlbum = (id: string): Promise<void> => remove(`/albums/${id}`);
export const leaveAlbum = (id: string): Promise<void> => remove(`/albums/${id}/user/me`);

export const share = (id: string, userId: string, role: AlbumRole): Promise<Album> =>
  put(`/albums/${id}/users`, { albumUsers: [{ userId, role }] });
export const changeRole = (id: string, userId: string, role: AlbumRole): Promise<void> =>
  put(`/albums/${id}/user/${userId}`, { role });
export const unshare = (id: string, userId: string): Promise<void> =>
  remove(`/albums/${id}/user/${userId}`);

/** Says how many were new; photos that are in the album already are no error. */
export async function addToAlbum(
  album: Pick<Album, 'id' | 'albumName'>,
  ids: readonly string[],
): Promise<boolean> {
  const isDone = await attempt(async () => {
    const results = await put<BulkResult[]>(`/albums/${album.id}/assets`, { ids });
    const added = results.filter(({ success }) => success).map(({ id }) => id);
    const text = summary(results, album.albumName);
    if (added.length === 0) return showToast(text, 'success');
    showUndo(text, () => take(album.id, added));
  });
  await refreshTimelines();
  return isDone;
}

export function summary(results: readonly BulkResult[], albumName: string): string {
  const added = results.filter(({ success }) => success).length;
  const known = results.filter(({ error }) => error === 'duplicate').length;
  const refused = results.length - added - known;
  const parts = [
    added > 0 || results.length === 0 ? `${formatCount(added, 'item')} added to ${albumName}` : '',
    known > 0 ? `${formatCount(known, 'item')} already in ${albumName}` : '',
    refused > 0 ? `${formatCount(refused, 'item')} could not be added` : '',
  ];
  return parts.filter(Boolean).join(', ');
}

export async function removeFromAlbum(id: string, ids: readonly string[]): Promise<boolean> {
  const isDone = await take(id, ids);
  if (isDone) {
    showUndo(`${formatCount(ids.length, 'item')} removed from the album`, () =>
      attempt(async () => {
        await put(`/albums/${id}/assets`, { ids });
        await refreshTimelines();
      }),
    );
  }
  return isDone;
}

const take = (id: string, ids: readonly string[]): Promise<boolean> =>
  attempt(async () => {
    await remove<BulkResult[]>(`/albums/${id}/assets`, { ids });
    await refreshTimelines();
  });

export const roleOf = (album: Album, me: Me): AlbumRole =>
  album.albumUsers.find(({ user }) => user.id === me.id)?.role ?? 'viewer';

export const ownerOf = (album: Album): Person | undefined =>
  album.albumUsers.find(({ role }) => role === 'owner')?.user;
