import { expect, test } from 'bun:test';
import {
  readToast,
  refusal,
  show,
  undoLast,
  startPageServer,
} from '../../../../test/support/page-server.ts';
import { until } from '../../../../test/support/until.ts';
import { queryClient } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { Timeline } from '../timeline/timeline-data.ts';
import { changeAsset, setFavorite, toChunks, unarchive } from './asset-actions.ts';

const server = startPageServer();

/** The marks of a timeline in memory. */
function createMarks(...favorites: string[]) {
  const marked = new Set(favorites);
  const markFavorites: Timeline['markFavorites'] = (ids, isFavorite) => {
    const changed = new Set([...ids].filter((id) => marked.has(id) !== isFavorite));
    for (const id of changed) {
      if (isFavorite) marked.add(id);
      else marked.delete(id);
    }
    return changed;
  };
  return { timeline: { markFavorites } as Timeline, list: () => [...marked].toSorted() };
}

test('favorites are marked before the server has answered', async () => {
  const { timeline, list } = createMarks('a');
  const answer = Promise.withResolvers<void>();
  server.answer('PUT /assets', () => answer.promise);
  const done = setFavorite(timeline, new Set(['a', 'b']), true);
  await until(() => server.listChanges().length === 1);
  expect(list()).toEqual(['a', 'b']);
  answer.resolve();
  expect(await done).toBe(true);
});

test('a refusal takes back the marks that it set, and no others', async () => {
  const { timeline, list } = createMarks('a');
  server.answer('PUT /assets', () => refusal(403, { message: 'Missing required permission: x' }));
  expect(await setFavorite(timeline, new Set(['a', 'b', 'c']), true)).toBe(false);
  expect(list()).toEqual(['a']);
  expect(readToast()).toMatchObject({ kind: 'error', text: 'You have no permission to do this.' });
});

test('Undo changes only those that were no favorites before', async () => {
  const { timeline, list } = createMarks('a');
  server.answer('PUT /assets', () => undefined);
  await setFavorite(timeline, new Set(['a', 'b']), true);
  expect(readToast()?.text).toBe('2 items marked as favorite');
  await undoLast();
  expect(list()).toEqual(['a']);
  expect(server.listBodies('PUT /assets')).toEqual([
    { ids: ['a', 'b'], isFavorite: true },
    { ids: ['b'], isFavorite: false },
  ]);
});

test('an Undo that is refused shows the marks again', async () => {
  const { timeline, list } = createMarks();
  server.answer('PUT /assets', ({ body }) => (body.isFavorite ? undefined : refusal(400)));
  await setFavorite(timeline, new Set(['a', 'b']), true);
  await undoLast();
  expect(list()).toEqual(['a', 'b']);
});

test('the answer to a change of a photo replaces what is known of it', async () => {
  const queryKey = [...keys.assets, 'a'];
  queryClient.setQueryData(queryKey, { id: 'a', description: 'old' });
  server.answer('PUT /assets/a', ({ body }) => ({ id: 'a', ...body }));
  await changeAsset('a', { description: 'new' });
  expect(queryClient.getQueryData<object>(queryKey)).toEqual({ id: 'a', description: 'new' });
  server.answer('PUT /assets/a', () => refusal(400));
  await changeAsset('a', { description: 'newer' }).catch(() => undefined);
  expect(queryClient.getQueryData<object>(queryKey)).toEqual({ id: 'a', description: 'new' });
});

test('photos that leave the archive appear wherever photos are shown, and go back', async () => {
  const timeline = await show(keys.timeline);
  const people = await show(keys.people);
  server.answer('PUT /assets', () => undefined);
  expect(await unarchive(new Set(['a']))).toBe(true);
  expect([timeline.fetches, people.fetches]).toEqual([2, 1]);
  await undoLast();
  expect(server.listBodies('PUT /assets')).toEqual([
    { ids: ['a'], visibility: 'timeline' },
    { ids: ['a'], visibility: 'archive' },
  ]);
  timeline.hide();
  people.hide();
});

test('a list is split in order, and nothing of it is lost', () => {
  expect(toChunks([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(toChunks([1, 2], 2)).toEqual([[1, 2]]);
  expect(toChunks([], 2)).toEqual([]);
});
