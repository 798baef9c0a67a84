import { swagger } from '@elysiajs/swagger';
import { type AnyElysia, Elysia } from 'elysia';
import type { Deps } from '../core/context.ts';
import { forward } from '../nodes/forward.ts';
import { HeldElsewhere } from '../nodes/servers.ts';
import { createOnError } from './errors.ts';
import { createGuard, type Guard } from './guard.ts';
import { openApi } from './openapi.ts';
import { installRouteMark, type RequestMetrics } from './request-metrics.ts';
import { installStrictReader } from './request-reader.ts';

export type App = AnyElysia;

/** The routes of an area. */
export type Area = (guard: Guard) => AnyElysia;

/** An API of these areas, without a listener. */
export function createApi(
  deps: Deps,
  areas: readonly Area[],
  requestMetrics?: RequestMetrics,
): App {
  const guard = createGuard(deps);
  // Elysia looks for the path behind the 11th character of the URL, or behind the 7th: the first
  // misses the one of http://nas/, the second takes that of https:// for it.
  const standardHostname = deps.settings.tlsCert !== undefined;
  const app = new Elysia({ prefix: '/api', handler: { standardHostname } })
    .onError(({ error, request, body, set }) =>
      error instanceof HeldElsewhere
        ? forward(deps, request, error.server, body).then((response) => {
            set.status = response.status;
            return response;
          })
        : undefined,
    )
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
  // Built when it is read first: it takes tens of milliseconds, and most servers are never asked.
  let document: ReturnType<typeof openApi> | undefined;
  // The second place is where the plugin would show a document of its own, without our names.
  for (const path of ['/openapi.json', '/docs/json']) {
    app.get(path, () => (document ??= openApi(app)), { open: true, detail: { hide: true } });
  }
  return app;
}
