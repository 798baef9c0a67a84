import { expect, test } from 'bun:test';
import { InfiniteQueryObserver } from '@tanstack/react-query';
import { show, startPageServer } from '../../../../test/support/page-server.ts';
import { queryClient } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import {
  createProject,
  deleteProject,
  projectQuery,
  saving,
  scenesQuery,
  sourceQuery,
  storeProject,
} from './queries.ts';

const server = startPageServer();
const FILTER = { words: '', albumId: '', personId: '' };

const fetchScenes = async (filter: typeof FILTER) => {
  const observer = new InfiniteQueryObserver(queryClient, scenesQuery(filter));
  const { data, hasNextPage, error } = await observer.fetchNextPage();
  if (error) throw error;
  return { scenes: data, hasNextPage };
};

test('a project that is still being saved is opened after it is', async () => {
  const order: string[] = [];
  server.answer('GET /studio/projects/p', () => {
    order.push('read');
    return { id: 'p' };
  });
  const save = Promise.withResolvers<void>();
  saving.set(
    'p',
    save.promise.then(() => void order.push('saved')),
  );
  const opened = queryClient.fetchQuery(projectQuery('p'));
  await Bun.sleep(5);
  expect(order).toEqual([]);
  save.resolve();
  expect(await opened).toMatchObject({ id: 'p' });
  expect(order).toEqual(['saved', 'read']);
  saving.delete('p');
});

test('projects are listed anew after one is made, changed or deleted', async () => {
  const list = await show([...keys.studio, 'list']);
  const project = await show([...keys.studio, 'project', 'p']);
  server.answer('POST /studio/projects', () => ({ id: 'p' }));
  server.answer('PUT /studio/projects/p', () => ({ id: 'p' }));
  server.answer('DELETE /studio/projects/p', () => undefined);
  await createProject({ title: 'Film' } as never);
  await storeProject('p', { title: 'Longer film' } as never);
  await deleteProject('p');
  expect(list.fetches).toBe(4);
  // The editor has what it saved.
  expect(project.fetches).toBe(1);
  expect(server.listBodies('PUT /studio/projects/p')).toEqual([{ title: 'Longer film' }]);
  list.hide();
  project.hide();
});

test('a source is asked for again while it is prepared, and at most for two minutes', () => {
  const { refetchInterval } = sourceQuery('v');
  const ask = (state: string, dataUpdateCount: number) =>
    (refetchInterval as (query: object) => number | false)({
      state: { data: { state }, dataUpdateCount },
    });
  expect([ask('preparing', 1), ask('preparing', 59)]).toEqual([2000, 2000]);
  expect([ask('preparing', 60), ask('ready', 1)]).toEqual([false, false]);
});

test('scenes of words come by the words, those without a title by what is said or seen', async () => {
  const match = { assetId: 'v', frameId: 'f', timeMs: 5 };
  server.answer('POST /enrichment/moments/search', () => ({
    items: [
      { ...match, momentId: 'a', title: 'Goal', transcript: 'said', caption: 'seen' },
      { ...match, momentId: 'b', title: null, transcript: 'said', caption: 'seen' },
      { ...match, momentId: 'c', title: null, transcript: null, caption: 'seen' },
      { ...match, momentId: 'd', title: null, transcript: null, caption: null },
    ],
    nextPage: 2,
  }));
  const { scenes, hasNextPage } = await fetchScenes({ ...FILTER, words: 'goal' });
  expect(scenes?.map(({ text }) => text)).toEqual(['Goal', 'said', 'seen', '']);
  expect(hasNextPage).toBe(true);
});
