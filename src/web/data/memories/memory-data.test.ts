import { expect, test } from 'bun:test';
import {
  readToast,
  refusal,
  show,
  startPageServer,
  undoLast,
} from '../../../../test/support/page-server.ts';
import { keys } from '../query-keys.ts';
import { addPictures, deleteMemory, hideMemory, removePictures, showLess } from './memory-data.ts';

const server = startPageServer();

test('a memory that is hidden is shown again by Undo', async () => {
  server.answer('PUT /memories/m', ({ body }) => ({ id: 'm', ...body }));
  expect(await hideMemory('m')).toBe(true);
  await undoLast();
  expect(server.listBodies('PUT /memories/m')).toEqual([{ isHidden: true }, { isHidden: false }]);
});

test('a memory that cannot be hidden is no news of success', async () => {
  server.answer('PUT /memories/m', () => refusal(404));
  expect(await hideMemory('m')).toBe(false);
  expect(readToast()).toMatchObject({ kind: 'error', text: 'It is not there any more.' });
});

test('a rule is removed by the words that it was made with', async () => {
  const rule = { kind: 'person', personId: 'ada' } as never;
  server.answer('POST /memories/show-less', () => []);
  server.answer('DELETE /memories/show-less', () => []);
  await showLess(rule);
  await undoLast();
  expect(server.listBodies('DELETE /memories/show-less')).toEqual([rule]);
});

test('of pictures that are added, those are named that were not there before', async () => {
  server.answer('PUT /memories/m/assets', () => [
    { id: 'a', success: true },
    { id: 'b', success: false, error: 'duplicate' },
  ]);
  server.answer('GET /memories/m', () => ({ id: 'm', assets: [{ id: 'a' }, { id: 'b' }] }));
  const { memory, added } = await addPictures('m', ['a', 'b']);
  expect(added).toEqual(['a']);
  expect(memory.assets).toHaveLength(2);
});

test('pictures that were removed come back', async () => {
  server.answer('DELETE /memories/m/assets', () => []);
  server.answer('PUT /memories/m/assets', () => []);
  await removePictures('m', ['a']);
  await undoLast();
  expect(server.listBodies('PUT /memories/m/assets')).toEqual([{ ids: ['a'] }]);
});

test('a memory that is deleted is not asked for while the player still shows it', async () => {
  const list = await show([...keys.memories, 'list']);
  const memory = await show([...keys.memories, 'one', 'm']);
  server.answer('DELETE /memories/m', () => undefined);
  await deleteMemory('m');
  expect([list.fetches, memory.fetches]).toEqual([2, 1]);
  list.hide();
  memory.hide();
});
