import { expect, test } from 'bun:test';
import {
  readToast,
  refusal,
  show,
  undoLast,
  startPageServer,
} from '../../../../test/support/page-server.ts';
import { until } from '../../../../test/support/until.ts';
import { keys } from '../query-keys.ts';
import type { Tag } from '../types.ts';
import { moveTag, tagAssets, untagAssets, upsertTag } from './tag-data.ts';

const server = startPageServer();
const LAKE = { id: 'lake', name: 'Lake', parentId: 'water' } as Tag;
const results = (...added: boolean[]) =>
  added.map((success, at) => ({
    id: `photo ${at}`,
    success,
    ...(!success && { error: 'duplicate' }),
  }));

test('Undo removes a tag only from those photos that did not have it before', async () => {
  server.answer('PUT /tags/lake/assets', () => results(true, false, true));
  server.answer('DELETE /tags/lake/assets', () => results(true, true));
  expect(await tagAssets(LAKE, ['photo 0', 'photo 1', 'photo 2'])).toBe(true);
  expect(readToast()?.text).toBe('2 items tagged Lake');
  await undoLast();
  expect(server.listBodies('DELETE /tags/lake/assets')).toEqual([{ ids: ['photo 0', 'photo 2'] }]);
});

test('where all photos have the tag, it is said, and there is nothing to undo', async () => {
  server.answer('PUT /tags/lake/assets', () => results(false));
  await tagAssets(LAKE, ['photo 0']);
  expect(readToast()).toMatchObject({ text: 'Already tagged Lake', actions: [] });
});

test('a photo shows its new tag without being waited for', async () => {
  const photo = await show([...keys.assets, 'photo 0']);
  const tags = await show(keys.tags);
  server.answer('DELETE /tags/lake/assets', () => results(true));
  await untagAssets(LAKE, ['photo 0']);
  expect(tags.fetches).toBe(2);
  await until(() => photo.fetches === 2);
  photo.hide();
  tags.hide();
});

test('a tag that was moved goes back below the one that it was below', async () => {
  server.answer('PUT /tags/lake', () => LAKE);
  expect(await moveTag(LAKE, undefined)).toBe(true);
  expect(readToast()?.text).toBe('Lake moved to the top');
  await undoLast();
  expect(server.listBodies('PUT /tags/lake')).toEqual([{ parentId: null }, { parentId: 'water' }]);
});

test('a refused move is told, and offers no way back', async () => {
  server.answer('PUT /tags/lake', () => refusal(400, { message: 'A tag cannot be below itself' }));
  expect(await moveTag(LAKE, { id: 'sea', name: 'Sea' } as Tag)).toBe(false);
  expect(readToast()).toMatchObject({
    kind: 'error',
    text: 'A tag cannot be below itself.',
    actions: [],
  });
});

test('a path that makes no tag is an error', async () => {
  server.answer('PUT /tags', () => []);
  await expect(upsertTag('')).rejects.toThrow('A tag needs a name.');
  server.answer('PUT /tags', ({ body }) => [{ id: 'new', name: body.tags[0] }]);
  expect((await upsertTag('Travel/Japan')).name).toBe('Travel/Japan');
});
