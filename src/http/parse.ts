import type { AnyElysia } from 'elysia';
import { unsupportedMediaType } from '../core/errors.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const BODYLESS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The phone app calls an empty body text/plain. */
const isEmpty = ({ headers, body }: Request) =>
  body === null || headers.get('content-length') === '0';

/**
 * Runs before a body is read into memory, which is before anybody is asked who they are. Only JSON
 * is read: the listener bounds its size, and a form of another site cannot send it. Routes with
 * `parse: 'none'` read their body themselves. A hook of its own for `parse` would switch that off.
 */
export function createBodyCheck() {
  const streamed: { readonly method: string; readonly path: RegExp }[] = [];
  return {
    check: ({ request }: { request: Request }): void => {
      if (BODYLESS.has(request.method) || isEmpty(request)) return;
      const type = request.headers.get('content-type');
      if (!type || JSON_TYPE.test(type)) return;
      const { pathname } = new URL(request.url);
      const mayStream = streamed.some(
        ({ method, path }) => method === request.method && path.test(pathname),
      );
      if (!mayStream) throw unsupportedMediaType('A body of the type application/json is required');
    },
    /** Call when the app has all its routes. */
    learn: (app: AnyElysia): void => {
      for (const { method, path, hooks } of app.routes) {
        const parsers: unknown[] = [hooks.parse ?? []].flat();
        const isStreamed = parsers.some((parser) => (parser as { fn?: unknown }).fn === 'none');
        if (!isStreamed) continue;
        streamed.push({ method, path: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`) });
      }
    },
  };
}
