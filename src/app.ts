import { swagger } from '@elysiajs/swagger';
import { type AnyElysia, Elysia } from 'elysia';
import { areas } from './areas/index.ts';
import type { Deps } from './core/context.ts';
import { createOnError } from './http/errors.ts';
import { createGuard } from './http/guard.ts';
import { openApi } from './http/openapi.ts';
import { installRouteMark, type RequestMetrics } from './http/request-metrics.ts';
import { installStrictReader } from './http/request-reader.ts';

export type App = AnyElysia;

/** The whole API, without a listener: tests call `handle`, the server puts a front before it. */
export function createApp(deps: Deps, requestMetrics?: RequestMetrics): App {
  const guard = createGuard(deps);
  // Elysia looks for the path behind the 11th character of the URL, or behind the 7th: the first
  // misses the one of http://nas/, the second takes that of https:// for it.
  const standardHostname = deps.settings.tlsCert !== undefined;
  const app = new Elysia({ prefix: '/api', handler: { standardHostname } })
    .onError(createOnError(deps.log))
    .use(
      swagger({
        path: '/docs',
        // From the binary: a NAS may have no way out.
        scalarCDN: '/api/docs/scalar.js',
        scalarConfig: { spec: { url: '/api/openapi.json' } },
      }),
    )
    .use(guard);
  // A loop, not a chain: chaining would make the type of `app` the sum of all routes.
  for (const createRoutes of areas) {
    const routes = createRoutes(guard);
    for (const route of routes.routes) {
      installStrictReader(route);
      if (requestMetrics) installRouteMark(route, requestMetrics);
    }
    app.use(routes);
  }
  const document = openApi(app);
  // The second place is where the plugin would show a document of its own, without our names.
  for (const path of ['/openapi.json', '/docs/json']) {
    app.get(path, () => document, { open: true, detail: { hide: true } });
  }
  return app;
}
