import { expect, test } from 'bun:test';
import { show, startPageServer } from '../../../../test/support/page-server.ts';
import { until } from '../../../../test/support/until.ts';
import { queryClient } from '../../base/query-client.ts';
import {
  createMoment,
  deleteMoment,
  frameUrl,
  type Moments,
  renameMoment,
  setCover,
  toSeconds,
} from './moment-data.ts';
import { foundMomentsQuery, isProcessing, momentsQuery } from './queries.ts';

const server = startPageServer();
const MOMENTS = '/enrichment/videos/film/moments';

test.each([
  ['pending', true],
  ['processing', true],
  ['completed', false],
  ['failed', false],
])('a film that is %p is asked for again: %p', (status, isAsked) => {
  expect(isProcessing({ status } as unknown as Moments)).toBe(isAsked);
});

test('before the first answer nothing is asked for again', () => {
  expect(isProcessing(undefined)).toBe(false);
});

test('changes of moments are sent to their film, and read again', async () => {
  const shown = await show(momentsQuery('film').queryKey);
  server.answer(`POST ${MOMENTS}`, ({ body }) => ({ ...body, id: 'm' }));
  server.answer(`PUT ${MOMENTS}/m`, ({ body }) => body);
  server.answer(`DELETE ${MOMENTS}/m`, () => undefined);
  await createMoment('film', { title: 'Goal', timeMs: 1500 } as never);
  await renameMoment({ assetId: 'film', id: 'm' }, { title: 'The goal' } as never);
  await deleteMoment({ assetId: 'film', id: 'm' });
  expect(server.listChanges()).toEqual([
    `POST ${MOMENTS}`,
    `PUT ${MOMENTS}/m`,
    `DELETE ${MOMENTS}/m`,
  ]);
  await until(() => shown.fetches === 4);
  shown.hide();
});

test('a new cover is shown from its answer, without another read', async () => {
  const shown = await show(momentsQuery('film').queryKey);
  server.answer('PUT /enrichment/videos/film/cover', ({ body }) => ({ coverMs: body.timeMs }));
  await setCover('film', null);
  expect(queryClient.getQueryData(momentsQuery('film').queryKey) as unknown).toEqual({
    coverMs: null,
  });
  expect(shown.fetches).toBe(1);
  shown.hide();
});

test('a search asks for what is seen, or for titles where no such words are left', async () => {
  const route = 'POST /enrichment/moments/search';
  server.answer(route, () => ({ items: [], nextPage: null }));
  await queryClient.fetchQuery(foundMomentsQuery('a dog', 'a dog in 2020'));
  await queryClient.fetchQuery(foundMomentsQuery(null, 'Rosa'));
  expect(server.listBodies(route)).toEqual([
    { query: 'a dog', size: 12 },
    { query: 'Rosa', kinds: ['manual'], size: 12 },
  ]);
  server.forget();
  expect(await queryClient.fetchQuery(foundMomentsQuery(null, ''))).toEqual({
    items: [],
    nextPage: null,
  });
  expect(server.listRequests()).toEqual([]);
});

test('times and frames have their addresses', () => {
  expect(toSeconds(1500)).toBe('1.5');
  expect(frameUrl('f')).toBe('/api/enrichment/frames/f');
});
