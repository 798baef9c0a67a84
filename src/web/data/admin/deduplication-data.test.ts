import { afterEach, beforeEach, expect, mock, test } from 'bun:test';
import { QueryObserver } from '@tanstack/react-query';
import { until } from '../../../../test/support/until.ts';
import { queryClient } from '../../base/query-client.ts';
import type { DeduplicationPlan, DeduplicationPreview } from '../types.ts';
import { decide, isBusy, ownConfigQuery, previewQuery, saveOptions } from './deduplication-data.ts';

const { fetch } = globalThis;
/** The configuration of the server, which others change too. */
let config: {
  webhooks: string[];
  physicalDeduplication: { formerFiles: string; enabled: boolean };
};
let respond: (method: string, path: string) => Response | Promise<Response> | undefined;

beforeEach(() => {
  config = { webhooks: [], physicalDeduplication: { formerFiles: 'leave', enabled: false } };
  respond = () => undefined;
  globalThis.fetch = mock(async (url: string, { method, body }: RequestInit) => {
    const answer = await respond(method!, url);
    if (answer) return answer;
    if (method === 'GET') return Response.json(url.includes('config') ? config : PREVIEW);
    if (method === 'PUT') config = JSON.parse(body as string) as typeof config;
    return Response.json(method === 'PUT' ? config : {});
  }) as unknown as typeof fetch;
});
afterEach(() => {
  globalThis.fetch = fetch;
  queryClient.clear();
});

const PLAN = {
  id: 'plan',
  fingerprint: 'f1',
  groups: [
    {
      copies: [
        { id: 'a', decision: 'keep' },
        { id: 'b', decision: 'keep' },
      ],
    },
    { copies: [{ id: 'c', decision: 'keep' }] },
  ],
} as unknown as DeduplicationPlan;
const PREVIEW = { status: 'completed', applies: [], plan: PLAN } as unknown as DeduplicationPreview;

test('two options that are changed at once are both kept, with what others have changed meanwhile', async () => {
  const stop = new QueryObserver(queryClient, ownConfigQuery()).subscribe(() => {});
  await until(() => queryClient.getQueryData(ownConfigQuery().queryKey) !== undefined);
  config.webhooks = ['https://example.org'];
  await Promise.all([
    saveOptions({ formerFiles: 'quarantine' }),
    saveOptions({ enabled: true } as never),
  ]);
  expect(config).toEqual({
    webhooks: ['https://example.org'],
    physicalDeduplication: { formerFiles: 'quarantine', enabled: true },
  });
  stop();
});

test('a decision is shown at once, of the chosen copies only', async () => {
  const { queryKey } = previewQuery(20);
  queryClient.setQueryData(queryKey, PREVIEW);
  const { promise: answer, resolve } = Promise.withResolvers<Response>();
  respond = (method) => (method === 'POST' ? answer : undefined);
  const listDecisions = () =>
    queryClient
      .getQueryData(queryKey)!
      .plan!.groups.flatMap(({ copies }) => copies.map(({ decision }) => decision as string));
  const deciding = decide(PLAN, new Set(['b']), 'skip' as never, 20);
  await until(() => listDecisions().includes('skip'));
  expect(listDecisions()).toEqual(['keep', 'skip', 'keep']);
  resolve(Response.json({}));
  await deciding;
});

test('a decision that the server refuses is taken back on the page', async () => {
  const { queryKey } = previewQuery(20);
  const stop = new QueryObserver(queryClient, previewQuery(20)).subscribe(() => {});
  await until(() => queryClient.getQueryData(queryKey) !== undefined);
  respond = (method) =>
    method === 'POST' ? Response.json({ message: 'stale' }, { status: 409 }) : undefined;
  const failure = await decide(PLAN, new Set(['a']), 'skip' as never, 20).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ status: 409, serverMessage: 'stale' });
  await until(() => {
    const [group] = queryClient.getQueryData(queryKey)?.plan?.groups ?? [];
    return (group?.copies[0]?.decision as string) === 'keep';
  });
  stop();
});

test('a preview is asked for often while it, or one of its runs, goes on', () => {
  const idle = { status: 'completed', applies: [{ status: 'completed' }] };
  expect(isBusy(idle as never)).toBe(false);
  expect(isBusy({ ...idle, status: 'running' } as never)).toBe(true);
  expect(isBusy({ ...idle, applies: [{ status: 'queued' }] } as never)).toBe(true);
});
