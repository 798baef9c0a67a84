import type { App } from '../../src/app.ts';
import { silentLog } from '../../src/core/log.ts';
import { startListener } from '../../src/http/listener.ts';

/**
 * Serves `app` through the real listener, behind a proxy on this machine. `from` is the app as seen
 * by a client at `address`: pass it to `call`.
 */
export async function openBehindProxy(app: App) {
  const listener = await startListener({
    fetch: (request) => app.fetch(request),
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
  });
  return {
    from: (address: string): App =>
      ({
        async handle(request: Request) {
          const headers = new Headers(request.headers);
          headers.set('x-forwarded-for', address);
          const { pathname, search } = new URL(request.url);
          return fetch(`${listener.url}${pathname}${search}`, {
            method: request.method,
            headers,
            ...(request.body && { body: await request.text() }),
          });
        },
      }) as App,
    stop: () => listener.stop(50),
  };
}
