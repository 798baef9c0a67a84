import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type RunningServer, startServer } from '../../test/e2e/server.ts';
import { resolveProbe } from './probes.ts';

let server: RunningServer;
beforeAll(async () => void (server = await startServer()), 300_000);
afterAll(() => server?.stop());

const probe = async (path: string) => {
  const response = await fetch(new URL(path, server.url));
  return { status: response.status, body: await response.json() };
};

test('probes tell whether the server is there, and whether it can serve', async () => {
  expect(await probe('/healthz')).toEqual({ status: 200, body: { res: 'pong' } });
  expect(await probe('/readyz?verbose')).toEqual({ status: 200, body: { res: 'ready' } });
});

test('other requests stay as they are', () => {
  for (const url of ['http://a/healthz/x', 'http://a/api/healthz', 'http://a/?x=/readyz']) {
    const request = new Request(url);
    expect(resolveProbe(request)).toBe(request);
  }
});
