import type { Page, Route } from 'playwright-core';

// Requests that a test answers itself, or holds back. A route stays until its page is closed: with `unroute`, a request
// that is intercepted at the same moment may never be answered.

/** Lets the handler answer matching requests until the function that is returned is called. */
export async function routeUntil(
  page: Page,
  url: Parameters<Page['route']>[0],
  handle: (route: Route) => unknown,
): Promise<() => void> {
  let isOver = false;
  await page.route(url, (route) => (isOver ? route.fallback() : handle(route)));
  return () => {
    isOver = true;
  };
}

/** Holds back the next requests of this method and path. Returns a promise of the first, and what lets them go. */
export async function holdRequest(page: Page, method: string, path: string) {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const end = await routeUntil(
    page,
    (url) => url.pathname.startsWith(path),
    async (route) => {
      if (route.request().method() !== method) return route.fallback();
      held.resolve();
      await released.promise;
      await route.continue();
    },
  );
  return {
    isHeld: held.promise,
    release: () => {
      end();
      released.resolve();
    },
  };
}
