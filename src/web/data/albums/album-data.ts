import type { Person as PersonOnPhotos } from '../../../areas/people/schemas.ts';
import type { Clusters } from '../../../areas/map/clusters.schemas.ts';
import { get, patch, post, put, remove } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import { attempt, attemptUndoable, showToast, showUndo } from '../../ui/toast.tsx';
import type { Album, AlbumChange, AlbumRole, BulkResult, Me, Person } from '../types.ts';
import { t } from '../../base/i18n.ts';

export const fetchAlbums = (): Promise<Album[]> => get('/albums');
export const fetchAlbumsWith = (assetId: string): Promise<Album[]> => get('/albums', { assetId });
export const fetchAlbum = (id: string): Promise<Album> => get(`/albums/${id}`);
export const fetchAlbumPeople = (id: string): Promise<PersonOnPhotos[]> =>
  get(`/albums/${id}/people`);
export const fetchAccounts = (): Promise<Person[]> => get('/users');

/** Whether the account may know where any photo of the album was taken. */
export async function hasPlaces(id: string): Promise<boolean> {
  const query = { albumId: id, bbox: '-180,-90,180,90', zoom: 0 };
  return (await get<Clusters>('/map/clusters', query)).clusters.length > 0;
}

const ALBUMS = { invalidates: [keys.albums] };
/** Albums, their photos, and the title and cover of their pins. */
const CONTENTS = { invalidates: [keys.albums, keys.timeline, keys.pins] };

export const createAlbum = (albumName: string, assetIds: readonly string[] = []): Promise<Album> =>
  mutate(
    () => post('/albums', { albumName, ...(assetIds.length > 0 ? { assetIds } : {}) }),
    ALBUMS,
  );

export const changeAlbum = (id: string, change: AlbumChange): Promise<Album> =>
  mutate(() => patch(`/albums/${id}`, change), CONTENTS);

/** Changes the name or the description of an album, with a way back. */
export function editAlbum(
  { id, albumName, description }: Album,
  change: { albumName: string } | { description: string },
): Promise<boolean> {
  const before = 'albumName' in change ? { albumName } : { description };
  return attemptUndoable(
    () => changeAlbum(id, change),
    t('Saved'),
    () => changeAlbum(id, before),
  );
}

/** Without the data of the album itself, which is gone while its page is still open. */
const LIST = { invalidates: [[...keys.albums, 'list'], keys.pins] };

export const deleteAlbum = (id: string): Promise<void> =>
  mutate(() => remove(`/albums/${id}`), LIST);
export const leaveAlbum = (id: string): Promise<void> =>
  mutate(() => remove(`/albums/${id}/user/me`), LIST);

export const share = (id: string, userId: string, role: AlbumRole): Promise<Album> =>
  mutate(() => put(`/albums/${id}/users`, { albumUsers: [{ userId, role }] }), ALBUMS);
export const changeRole = (id: string, userId: string, role: AlbumRole): Promise<void> =>
  mutate(() => put(`/albums/${id}/user/${userId}`, { role }), ALBUMS);
export const unshare = (id: string, userId: string): Promise<void> =>
  mutate(() => remove(`/albums/${id}/user/${userId}`), ALBUMS);

const addAssets = (id: string, ids: readonly string[]): Promise<BulkResult[]> =>
  mutate(() => put(`/albums/${id}/assets`, { ids }), CONTENTS);
const removeAssets = (id: string, ids: readonly string[]): Promise<BulkResult[]> =>
  mutate(() => remove(`/albums/${id}/assets`, { ids }), CONTENTS);

/** Tells how many photos are new in the album; those that are in it already are no error. */
export const addToAlbum = (
  album: Pick<Album, 'id' | 'albumName'>,
  ids: readonly string[],
): Promise<boolean> =>
  attempt(async () => {
    const results = await addAssets(album.id, ids);
    const added = results.filter(({ success }) => success).map(({ id }) => id);
    const text = summarize(results, album.albumName);
    if (added.length === 0) return showToast(text, 'success');
    showUndo(text, () => attempt(() => removeAssets(album.id, added)));
  });

export function summarize(results: readonly BulkResult[], albumName: string): string {
  const added = results.filter(({ success }) => success).length;
  const known = results.filter(({ error }) => error === 'duplicate').length;
  const refused = results.length - added - known;
  const parts = [
    added > 0 || results.length === 0
      ? t('{added, plural, one {# item} other {# items}} added to {albumName}', {
          added,
          albumName,
        })
      : '',
    known > 0
      ? t('{known, plural, one {# item} other {# items}} already in {albumName}', {
          known,
          albumName,
        })
      : '',
    refused > 0
      ? t('{refused, plural, one {# item} other {# items}} could not be added', { refused })
      : '',
  ];
  return parts.filter(Boolean).join(', ');
}

export async function removeFromAlbum(id: string, ids: readonly string[]): Promise<boolean> {
  const isDone = await attempt(() => removeAssets(id, ids));
  if (isDone) {
    showUndo(
      t('{count, plural, one {# item} other {# items}} removed from the album', {
        count: ids.length,
      }),
      () => attempt(() => addAssets(id, ids)),
    );
  }
  return isDone;
}

export const getRole = (album: Album, me: Me): AlbumRole =>
  album.albumUsers.find(({ user }) => user.id === me.id)?.role ?? 'viewer';

export const findOwner = (album: Album): Person | undefined =>
  album.albumUsers.find(({ role }) => role === 'owner')?.user;
