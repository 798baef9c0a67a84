import { afterEach, beforeEach } from 'bun:test';
import { QueryObserver, type QueryKey } from '@tanstack/react-query';
import { queryClient } from '../../src/web/base/query-client.ts';
import { shownToasts } from '../../src/web/ui/toast.tsx';
import { restoreConnection } from './page-connection.ts';
import { until } from './until.ts';

// For tests of `web/data`: a server that answers what the test says, and what the page tells the person.

// oxlint-disable-next-line no-explicit-any -- JSON, which each test knows
type Body = any;
type Asked = { readonly path: string; readonly body: Body; readonly query: URLSearchParams };
type Reply = (asked: Asked) => unknown;

/** An error answer. */
export const refusal = (status: number, body: object = {}): Response =>
  Response.json(body, { status });

/** Call it at the top of a file: replaces `fetch` for its tests. What nobody has said an answer for is refused with 404. */
export function startPageServer() {
  const { fetch } = globalThis;
  let replies: Record<string, Reply> = {};
  let requests: { route: string; body: Body }[] = [];

  beforeEach(() => {
    replies = {};
    requests = [];
    globalThis.fetch = (async (url: string, { method = 'GET', body }: RequestInit = {}) => {
      const { pathname, searchParams: query } = new URL(url, 'http://page.test');
      const path = pathname.replace(/^\/api/, '');
      const asked = {
        path,
        query,
        body: body === undefined ? undefined : JSON.parse(body as string),
      };
      requests.push({ route: `${method} ${path}`, body: asked.body });
      const reply = replies[`${method} ${path}`];
      const answer = reply ? await reply(asked) : refusal(404, { message: 'Not found' });
      if (answer instanceof Response) return answer;
      return answer === undefined ? new Response(null, { status: 204 }) : Response.json(answer);
    }) as typeof fetch;
  });
  afterEach(async () => {
    globalThis.fetch = fetch;
    queryClient.clear();
    await restoreConnection();
  });

  return {
    /** Answers a route, as 'PUT /tags/a', from now on. */
    answer: (route: string, reply: Reply) => void (replies[route] = reply),
    /** The routes that were asked for, in their order, without reads. */
    listChanges: () =>
      requests.map(({ route }) => route).filter((route) => !route.startsWith('GET ')),
    listRequests: () => requests.map(({ route }) => route),
    /** The bodies that were sent to a route. */
    listBodies: (route: string) =>
      requests.filter((one) => one.route === route).map(({ body }) => body),
    forget: () => void (requests = []),
  };
}

/** Shows data on a screen, so that it is fetched when a change makes it out of date. Returns how often it was, and `hide`. */
export async function show(queryKey: QueryKey) {
  const counter = { fetches: 0, hide: () => {} };
  counter.hide = new QueryObserver(queryClient, {
    queryKey,
    queryFn: () => Promise.resolve(++counter.fetches),
  }).subscribe(() => {});
  await until(() => counter.fetches === 1);
  return counter;
}

/** Returns what the page has told last. */
export const readToast = () => shownToasts.get().at(-1);

/** Presses Undo of what was told last. */
export async function undoLast(): Promise<void> {
  await readToast()!.actions[0]!.run();
}
