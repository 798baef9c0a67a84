import { afterEach, expect, mock, test } from 'bun:test';
import { InfiniteQueryObserver } from '@tanstack/react-query';
import { queryClient } from '../../base/query-client.ts';
import type { DuplicateSet } from './duplicate-data.ts';
import { duplicateSetsQuery, prependSet, removeSet } from './queries.ts';

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
  queryClient.clear();
});

const toSet = (id: number): DuplicateSet => ({ duplicateId: String(id) }) as DuplicateSet;

/** A server that lists the sets that are open there, and says which pages were read. */
function serve(open: number[]) {
  const pages: string[] = [];
  globalThis.fetch = mock((path: string) => {
    const { searchParams } = new URL(path, 'http://test');
    const [page, size] = [Number(searchParams.get('page')), Number(searchParams.get('size'))];
    pages.push(String(page));
    return Promise.resolve(Response.json(open.slice((page - 1) * size, page * size).map(toSet)));
  }) as unknown as typeof fetch;
  return pages;
}

test('decided sets make room: the next page holds those that follow the open ones', async () => {
  const open = Array.from({ length: 45 }, (_, id) => id);
  const pages = serve(open);
  const observer = new InfiniteQueryObserver(queryClient, duplicateSetsQuery('duplicates'));
  const stop = observer.subscribe(() => {});
  await observer.fetchNextPage();
  const shown = () => observer.getCurrentResult().data!.map(({ duplicateId }) => duplicateId);
  expect(shown()).toHaveLength(20);
  for (const id of open.splice(0, 10)) removeSet('duplicates', toSet(id));
  expect(shown()).toHaveLength(10);
  await observer.fetchNextPage();
  expect(pages).toEqual(['1', '1']);
  expect(shown()).toEqual(open.slice(0, 20).map(String));
  await observer.fetchNextPage();
  await observer.fetchNextPage();
  expect(shown()).toEqual(open.map(String));
  expect(observer.getCurrentResult().hasNextPage).toBe(false);
  stop();
});

test('a set that is open again comes first, and only once', async () => {
  serve([1, 2, 3]);
  const observer = new InfiniteQueryObserver(queryClient, duplicateSetsQuery('duplicates'));
  const stop = observer.subscribe(() => {});
  await observer.fetchNextPage();
  removeSet('duplicates', toSet(2));
  prependSet('duplicates', toSet(2));
  prependSet('duplicates', toSet(3));
  expect(observer.getCurrentResult().data!.map(({ duplicateId }) => duplicateId)).toEqual([
    '3',
    '2',
    '1',
  ]);
  stop();
});
