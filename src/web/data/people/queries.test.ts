import { afterEach, expect, mock, test } from 'bun:test';
import { QueryObserver } from '@tanstack/react-query';
import { queryClient } from '../../base/query-client.ts';
import { changePerson, type Person } from './people-data.ts';
import { candidatesQuery, peopleQuery, personQuery } from './queries.ts';

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
  queryClient.clear();
});

const person = (id: string, name = ''): Person => ({ id, name }) as Person;

/** Serves requests by their path, with the body that the function of that path returns. */
function serve(answers: Record<string, (url: URL, init: RequestInit) => unknown>) {
  const requests: string[] = [];
  globalThis.fetch = mock((path: string, init: RequestInit) => {
    const url = new URL(path, 'http://test');
    requests.push(`${init.method} ${url.pathname}${url.search}`);
    return Promise.resolve(Response.json(answers[url.pathname]!(url, init)));
  }) as unknown as typeof fetch;
  return requests;
}

test('a longer list keeps the shorter one on the screen, another name does not', async () => {
  serve({
    '/api/people': () => ({ people: [person('a')], total: 1, hidden: 0 }),
    '/api/search/person': () => [person('b', 'Ben')],
  });
  const observer = new QueryObserver(queryClient, peopleQuery('', 100, false));
  const hide = observer.subscribe(() => {});
  await observer.refetch();
  observer.setOptions(peopleQuery('', 200, false));
  expect(observer.getCurrentResult().isPlaceholderData).toBe(true);
  expect(observer.getCurrentResult().data?.people).toHaveLength(1);
  observer.setOptions(peopleQuery('ben', 200, false));
  expect(observer.getCurrentResult().data).toBeUndefined();
  await observer.refetch();
  expect(observer.getCurrentResult().data).toMatchObject({ total: 1, people: [{ name: 'Ben' }] });
  hide();
});

test('a person is not among their own candidates for a merge', async () => {
  serve({ '/api/people': () => ({ people: [person('a'), person('b')], total: 2, hidden: 0 }) });
  const observer = new QueryObserver(queryClient, candidatesQuery('', 'a'));
  const hide = observer.subscribe(() => {});
  await observer.refetch();
  expect(observer.getCurrentResult().data?.map(({ id }) => id)).toEqual(['b']);
  hide();
});

test('a person who is renamed is fetched again where they are shown', async () => {
  let name = 'Ann';
  const requests = serve({
    '/api/people/a': (_url, init) => {
      if (init.method === 'PUT') ({ name } = JSON.parse(init.body as string) as { name: string });
      return person('a', name);
    },
  });
  const observer = new QueryObserver(queryClient, personQuery('a'));
  const hide = observer.subscribe(() => {});
  await observer.refetch();
  await changePerson('a', { name: 'Anna' });
  expect(observer.getCurrentResult().data?.name).toBe('Anna');
  expect(requests.at(-1)).toBe('GET /api/people/a');
  hide();
});
