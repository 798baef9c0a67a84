import {
  CONFIG,
  isCachedPicture,
  isCachedRead,
  OFFLINE_CACHE,
  CACHED_HEADER,
  ME,
} from './service-worker-names.ts';

// Caches answers and pictures that were shown lately for when the server cannot be reached. They are of one account and
// are deleted with its session. Nothing in Locked is cached, and nothing of a shared link.

/** Pictures and answers together; thumbnails have about 20 kB. */
const MAX_ENTRIES = 1500;
/** Pictures as large as the screen have about 300 kB. */
const MAX_PREVIEWS = 100;
/** Entries that may be too many before the oldest are deleted. */
const SLACK = 50;
const IDLE_MS = 2000;
const FETCH_LIMIT_MS = 30_000;
const UUID = /[\da-f-]{36}/;

/** Only a service worker reads it. Browsers have them over HTTPS, and on the machine itself. */
const storage = 'serviceWorker' in navigator ? caches : undefined;
/** Items that were evicted since the page was opened: the browser's own cache has them as they were before. */
const evicted = new Set<string>();
let areAllEvicted = false;
let added = 0;
let last: Promise<unknown> = Promise.resolve();

/** Runs one after the other. A cache that cannot be written, as on a full disk, is no failure of the page. */
const inOrder = (work: (cache: Cache) => Promise<unknown>): void => {
  if (storage)
    last = last.then(async () => work(await storage.open(OFFLINE_CACHE))).catch(() => undefined);
};

/** Caches an answer to a GET, if it is one of those that the page starts with. */
export function cacheAnswer(url: string, response: Response): void {
  if (!storage || isSecret(response) || response.headers.has(CACHED_HEADER)) return;
  const { pathname } = new URL(url, location.origin);
  if (!isCachedRead(pathname)) return;
  const reading = response.clone().text();
  inOrder(async (cache) => {
    const text = await reading;
    if (text.includes('"visibility":"locked"')) return;
    if (pathname === ME && (await isOfAnother(cache, text))) await deleteAll(cache);
    if (pathname !== ME && pathname !== CONFIG && !(await cache.match(ME))) return;
    await put(cache, url, new Response(text, { headers: { 'content-type': 'application/json' } }));
  });
}

/** Caches the pictures that the page shows from now on. */
export function cachePictures(): void {
  let urls = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cacheAll = () => {
    const seen = urls;
    urls = new Set();
    for (const url of seen) inOrder((cache) => cachePicture(cache, url));
  };
  const observer = new PerformanceObserver((list) => {
    for (const { name } of list.getEntries()) {
      const { origin, pathname } = new URL(name, location.origin);
      if (origin === location.origin && isCachedPicture(pathname)) urls.add(name);
    }
    clearTimeout(timer);
    if (urls.size > 0) timer = setTimeout(cacheAll, IDLE_MS);
  });
  observer.observe({ type: 'resource', buffered: true });
}

/** Deletes everything: nobody is signed in any more. */
export const clearOfflineCache = (): void => inOrder(deleteAll);

/** Deletes all that is of these items: they were locked, or are gone. */
export function evictItems(ids: readonly string[]): void {
  for (const id of ids) evicted.add(id);
  inOrder(async (cache) => {
    for (const request of await cache.keys()) {
      if (ids.some((id) => request.url.includes(id))) await cache.delete(request);
    }
  });
}

export function evictPictures(): void {
  areAllEvicted = true;
  inOrder(async (cache) => {
    for (const request of await cache.keys()) {
      if (isCachedPicture(new URL(request.url).pathname)) await cache.delete(request);
    }
  });
}

async function cachePicture(cache: Cache, url: string): Promise<void> {
  // Without the answer that says whose it is, the account is being left.
  if (!(await cache.match(ME)) || (await cache.match(url))) return;
  const signal = AbortSignal.timeout(FETCH_LIMIT_MS);
  const isEvicted = areAllEvicted || evicted.has(url.match(UUID)?.[0] ?? '');
  const response = await fetch(url, { cache: isEvicted ? 'reload' : 'force-cache', signal });
  if (response.ok && !isSecret(response)) await put(cache, url, response);
}

/** The server says so of everything in Locked. */
const isSecret = ({ headers }: Response): boolean =>
  headers.get('cache-control') === 'private, no-store';

async function isOfAnother(cache: Cache, text: string): Promise<boolean> {
  const cached = await cache.match(ME);
  const { id } = ((await cached?.json()) ?? {}) as { id?: string };
  return id !== (JSON.parse(text) as { id?: string }).id;
}

async function deleteAll(cache: Cache): Promise<void> {
  for (const request of await cache.keys()) {
    if (!request.url.endsWith(CONFIG)) await cache.delete(request);
  }
}

async function put(cache: Cache, url: string, response: Response): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  const headers = { 'content-type': type, [CACHED_HEADER]: '1' };
  await cache.put(url, new Response(await response.blob(), { headers }));
  if (++added % SLACK === 0) await deleteOldest(cache);
}

/** The keys of a cache are in the order in which they were put. */
async function deleteOldest(cache: Cache): Promise<void> {
  const all = await cache.keys();
  const previews = all.filter(({ url }) => url.includes('size=preview'));
  const old = [
    ...previews.slice(0, Math.max(0, previews.length - MAX_PREVIEWS)),
    ...all.slice(0, Math.max(0, all.length - MAX_ENTRIES)),
  ];
  for (const request of old) if (!request.url.endsWith(ME)) await cache.delete(request);
}
