import { expect, test } from 'bun:test';
import {
  readToast,
  refusal,
  show,
  startPageServer,
  undoLast,
} from '../../../../test/support/page-server.ts';
import { keys } from '../query-keys.ts';
import { addToAlbum, changeAlbum, deleteAlbum, removeFromAlbum } from './album-data.ts';

const server = startPageServer();
const ALBUM = { id: 'lakes', albumName: 'Lakes' };

test('Undo takes out only those photos that were not in the album before', async () => {
  server.answer('PUT /albums/lakes/assets', () => [
    { id: 'a', success: true },
    { id: 'b', success: false, error: 'duplicate' },
    { id: 'c', success: false, error: 'no_permission' },
  ]);
  server.answer('DELETE /albums/lakes/assets', () => []);
  expect(await addToAlbum(ALBUM, ['a', 'b', 'c'])).toBe(true);
  expect(readToast()?.text).toBe(
    '1 item added to Lakes, 1 item already in Lakes, 1 item could not be added',
  );
  await undoLast();
  expect(server.listBodies('DELETE /albums/lakes/assets')).toEqual([{ ids: ['a'] }]);
});

test('where nothing was added, there is nothing to undo', async () => {
  server.answer('PUT /albums/lakes/assets', () => [
    { id: 'b', success: false, error: 'duplicate' },
  ]);
  await addToAlbum(ALBUM, ['b']);
  expect(readToast()).toMatchObject({ text: '1 item already in Lakes', actions: [] });
});

test('photos that were taken out are put back', async () => {
  server.answer('DELETE /albums/lakes/assets', () => []);
  server.answer('PUT /albums/lakes/assets', () => []);
  await removeFromAlbum('lakes', ['a', 'b']);
  await undoLast();
  expect(server.listChanges()).toEqual(['DELETE /albums/lakes/assets', 'PUT /albums/lakes/assets']);
});

test('a guest who may not take photos out is told, and sees no Undo', async () => {
  server.answer('DELETE /albums/lakes/assets', () =>
    refusal(400, { message: 'Not found or no albumAsset.delete access' }),
  );
  expect(await removeFromAlbum('lakes', ['a'])).toBe(false);
  expect(readToast()).toMatchObject({
    text: 'It is not there any more, or not shared with you.',
    actions: [],
  });
});

test('a change is shown in albums, photos and pins; people are not asked for', async () => {
  const shown = await Promise.all([keys.albums, keys.timeline, keys.pins, keys.people].map(show));
  server.answer('PATCH /albums/lakes', () => ALBUM);
  await changeAlbum('lakes', { albumName: 'Seas' });
  expect(shown.map(({ fetches }) => fetches)).toEqual([2, 2, 2, 1]);
  for (const { hide } of shown) hide();
});

test('an album that is deleted is not asked for again while its page is open', async () => {
  const list = await show([...keys.albums, 'list']);
  const album = await show([...keys.albums, 'one', 'lakes']);
  server.answer('DELETE /albums/lakes', () => undefined);
  await deleteAlbum('lakes');
  expect([list.fetches, album.fetches]).toEqual([2, 1]);
  list.hide();
  album.hide();
});
