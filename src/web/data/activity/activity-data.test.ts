import { expect, test } from 'bun:test';
import { show, startPageServer } from '../../../../test/support/page-server.ts';
import { until } from '../../../../test/support/until.ts';
import { queryClient } from '../../base/query-client.ts';
import { cacheOrder, getCachedOrder, moveItems, setOrder } from '../album-order/queries.ts';
import { createComment, createLike, deleteActivity } from './activity-data.ts';
import { activitiesQuery, activityCountsQuery } from './queries.ts';

const server = startPageServer();

test('the comments of a photo are those within its album', async () => {
  const asked: string[] = [];
  const note = (query: URLSearchParams) => void asked.push(query.toString());
  server.answer('GET /activities', ({ query }) => [note(query)]);
  server.answer('GET /activities/statistics', ({ query }) => [note(query)]);
  await queryClient.fetchQuery(activitiesQuery({ albumId: 'a', assetId: 'p' }));
  await queryClient.fetchQuery(activitiesQuery({ albumId: 'a' }));
  await queryClient.fetchQuery(activityCountsQuery('a'));
  expect(asked).toEqual(['albumId=a&assetId=p', 'albumId=a', 'albumId=a']);
});

test('a comment, a like and a removal are sent, and what is shown is read again', async () => {
  const list = await show(activitiesQuery({ albumId: 'a' }).queryKey);
  const other = await show(activitiesQuery({ albumId: 'b' }).queryKey);
  server.answer('POST /activities', ({ body }) => body);
  server.answer('DELETE /activities/x', () => undefined);
  await createComment({ albumId: 'a', assetId: 'p' }, 'Lovely');
  await createLike({ albumId: 'a' });
  await deleteActivity('x');
  expect(server.listBodies('POST /activities')).toEqual([
    { albumId: 'a', assetId: 'p', type: 'comment', comment: 'Lovely' },
    { albumId: 'a', type: 'like' },
  ]);
  await until(() => list.fetches === 4 && other.fetches === 4);
  list.hide();
  other.hide();
});

test('an order by hand is known before the album is read again', async () => {
  cacheOrder('a', { order: 'date' } as never);
  server.answer('PUT /albums/a/order', ({ body }) => body);
  await setOrder('a', 'manual' as never);
  expect(getCachedOrder('a') as unknown).toEqual({ order: 'manual' });
});

test('items are moved before or behind another one', async () => {
  const route = 'POST /albums/a/items/move';
  server.answer(route, () => ({}));
  await moveItems('a', { ids: ['x', 'y'], side: 'before', target: 'z' });
  await moveItems('a', { ids: ['x'], side: 'after', target: 'z' });
  expect(server.listBodies(route)).toEqual([
    { assetIds: ['x', 'y'], before: 'z' },
    { assetIds: ['x'], after: 'z' },
  ]);
});
