import { expect } from 'bun:test';
import type { App } from '../../src/app.ts';
import { OWN_DEFAULTS } from '../../src/areas/system-config/index.ts';
import { call, seed, type TestDatabase } from './harness.ts';

export const WEBHOOK_SECRET = 'a long enough secret';

export type Received = { readonly headers: Headers; readonly text: string; readonly path: string };

/** A server that keeps what it receives, under a port of its own. */
export function startReceiver(answer: () => Response = () => new Response('ok'), port = 0) {
  const received: Received[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    async fetch(request) {
      const { pathname: path } = new URL(request.url);
      received.push({ headers: request.headers, text: await request.text(), path });
      return answer();
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/hook?key=hidden`,
    received,
    stop: () => server.stop(true),
  };
}

/** Makes these hosts the ones that webhooks may be sent to. */
export async function listWebhookHosts(
  app: App,
  database: TestDatabase,
  ...hosts: string[]
): Promise<void> {
  const admin = await seed(database).user(['all'], { isAdmin: true });
  const body = { ...OWN_DEFAULTS, webhooks: { hosts, secret: WEBHOOK_SECRET } };
  const { status } = await call(app, 'PUT /admin/config/safelight', { session: admin, body });
  expect(status).toBe(200);
}
