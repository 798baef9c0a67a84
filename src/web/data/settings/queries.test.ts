import { afterEach, expect, mock, test } from 'bun:test';
import { queryClient } from '../../base/query-client.ts';
import type { Partner, Preferences } from '../types.ts';
import { changePartner } from './partner-changes.ts';
import { changePreferences } from './preference-changes.ts';
import { partnersQuery, preferencesQuery } from './queries.ts';

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
  queryClient.clear();
});

function answer(status: number, body: unknown) {
  const reply = Promise.withResolvers<void>();
  globalThis.fetch = mock(async () => {
    await reply.promise;
    return Response.json(body, { status });
  }) as unknown as typeof fetch;
  return reply.resolve;
}
const download = { archiveSize: 1, includeEmbeddedVideos: false };
const preferences = { albums: { defaultAssetOrder: 'desc' }, download } as Preferences;

test('a preference is changed at once, and replaced by what the server has made of it', async () => {
  queryClient.setQueryData(preferencesQuery().queryKey, preferences);
  const shown = () => queryClient.getQueryData(preferencesQuery().queryKey)?.albums;
  const reply = answer(200, { ...preferences, albums: { defaultAssetOrder: 'asc' } });
  const change = changePreferences({ albums: { defaultAssetOrder: 'asc' } });
  await Bun.sleep(1);
  expect(shown()).toEqual({ defaultAssetOrder: 'asc' });
  reply();
  await change;
  expect(shown()).toEqual({ defaultAssetOrder: 'asc' });
});

test('a refused change of a partner is taken back', async () => {
  const { queryKey } = partnersQuery('shared-with');
  const partner = { id: 'p', inTimeline: false } as Partner;
  queryClient.setQueryData(queryKey, [partner]);
  const reply = answer(400, { message: 'No' });
  const change = changePartner('shared-with', 'p', { inTimeline: true });
  await Bun.sleep(1);
  expect(queryClient.getQueryData(queryKey)).toEqual([{ ...partner, inTimeline: true }]);
  reply();
  await change.catch(() => undefined);
  expect(queryClient.getQueryData(queryKey)).toEqual([partner]);
});
