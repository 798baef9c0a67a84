import { beforeEach, expect, test } from 'bun:test';
import { readToast, refusal, startPageServer } from '../../../../test/support/page-server.ts';
import { until } from '../../../../test/support/until.ts';
import { addToAlbumSoon } from './album.ts';
import { addToAlbumsByFolder, listFolders } from './folder-albums.ts';
import { findItem, type Item, uploads } from './items.ts';

const server = startPageServer();
const item = (id: number, folder: string, more: Partial<Item> = {}) =>
  ({ id, folder, album: undefined, assetId: undefined, ...more }) as Item;
const album = (id: string, albumName: string, ownerId: string) => ({
  id,
  albumName,
  albumUsers: [{ role: 'owner', user: { id: ownerId } }],
});
const show = (...items: Item[]) => uploads.set((old) => ({ ...old, items }));

beforeEach(() => show());

test('folders of items without an album are listed once', () => {
  const inAlbum = item(3, 'Rome', { album: { id: 'r', albumName: 'Rome' } });
  expect(listFolders([item(1, 'Oslo'), item(2, 'Oslo'), inAlbum, item(4, '')])).toEqual(['Oslo']);
});

test('each folder gets the own album of its name, or a new one, also for what still comes', async () => {
  show(
    item(1, 'Oslo', { assetId: 'a' }),
    item(2, 'Oslo'),
    item(3, 'Rome', { assetId: 'b' }),
    item(4, '', { assetId: 'c' }),
  );
  server.answer('GET /albums', () => [album('o', 'Oslo', 'ada'), album('x', 'Rome', 'bob')]);
  server.answer('POST /albums', ({ body }) => album('r', body.albumName, 'ada'));
  server.answer('PUT /albums/o/assets', () => []);
  server.answer('PUT /albums/r/assets', () => []);
  expect(await addToAlbumsByFolder('ada')).toBe(true);
  expect([1, 2, 3, 4].map((id) => findItem(id)?.album?.id)).toEqual(['o', 'o', 'r', undefined]);
  expect(server.listBodies('POST /albums')).toMatchObject([{ albumName: 'Rome' }]);
  await until(() => server.listChanges().length === 3);
  expect(server.listBodies('PUT /albums/o/assets')).toEqual([{ ids: ['a'] }]);
  expect(server.listBodies('PUT /albums/r/assets')).toEqual([{ ids: ['b'] }]);
});

test('a name of macOS, whose letters are decomposed, is that of the album', async () => {
  show(item(1, 'Été'.normalize('NFD')));
  server.answer('GET /albums', () => [album('e', 'Été', 'ada')]);
  await addToAlbumsByFolder('ada');
  expect(findItem(1)?.album?.id).toBe('e');
});

test('without the albums nothing is assigned, and the person is told', async () => {
  show(item(1, 'Oslo'));
  server.answer('GET /albums', () => refusal(503));
  server.answer('POST /albums', () => album('new', 'Oslo', 'ada'));
  expect(await addToAlbumsByFolder('ada')).toBe(false);
  expect(findItem(1)?.album).toBeUndefined();
  expect(server.listChanges()).toEqual([]);
  expect(readToast()).toMatchObject({ kind: 'error' });
});

test('what arrives within a moment is added in one request, each once', async () => {
  server.answer('PUT /albums/o/assets', () => []);
  addToAlbumSoon({ id: 'o', albumName: 'Oslo' }, ['a']);
  addToAlbumSoon({ id: 'o', albumName: 'Oslo' }, ['b', 'a']);
  addToAlbumSoon({ id: 'o', albumName: 'Oslo' }, []);
  await until(() => server.listChanges().length > 0);
  expect(server.listBodies('PUT /albums/o/assets')).toEqual([{ ids: ['a', 'b'] }]);
});
