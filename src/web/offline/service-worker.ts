import {
  isCachedPicture,
  isCachedRead,
  MANIFESTS,
  OFFLINE_CACHE,
  SHARE_TARGET,
  SHARED_FILES,
  SHARED_PARAMETER,
  PING,
  UNREACHABLE_STATUS,
  UPLOADS_TAG,
} from '../base/service-worker-names.ts';
import { sendKeptFiles } from './send-kept.ts';

// Starts the page without a connection, takes files that other apps share with it, and uploads files that pages have left.
// It caches files of the page, which are the same for everybody; answers and pictures are cached by the page itself
// (`offline-cache.ts`).

type LifetimeEvent = Event & { waitUntil: (work: Promise<unknown>) => void };
/** Background Synchronization (WICG), in browsers that have it. */
type SyncEvent = LifetimeEvent & { readonly tag: string };
type RequestEvent = LifetimeEvent & {
  readonly request: Request;
  respondWith: (response: Promise<Response>) => void;
};
/** The part in use of ServiceWorkerGlobalScope, whose library does not go together with that of pages. */
declare const self: {
  readonly location: Location;
  readonly clients: { claim: () => Promise<void> };
  skipWaiting: () => Promise<void>;
  addEventListener: ((
    type: 'install' | 'activate',
    listen: (event: LifetimeEvent) => void,
  ) => void) &
    ((type: 'fetch', listen: (event: RequestEvent) => void) => void) &
    ((type: 'sync', listen: (event: SyncEvent) => void) => void);
};
/** Both are written by the build (`native/install-files.ts`). */
declare const SHELL_VERSION: string;
declare const SHELL_FILES: readonly string[];

const PREFIX = 'safelight-shell-';
const CACHE = `${PREFIX}${SHELL_VERSION}`;
const PAGE = '/';
/** A browser waits for minutes for a machine that is in another network. */
const PAGE_LIMIT_MS = 5000;
/** With the caches of earlier versions, pages that are open during an update find the rest of their code. */
const VERSIONS_KEPT = 2;

/** While the server answers, most requests do not take the way through here. */
let isOffline = false;

self.addEventListener('install', (event) => {
  event.waitUntil(precache().then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(deleteOldVersions().then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin) return;
  if (request.method === 'POST' && pathname === SHARE_TARGET)
    event.respondWith(storeSharedFiles(request));
  if (request.method !== 'GET') return;
  if (request.mode === 'navigate') {
    if (isPagePath(pathname)) event.respondWith(openPage(request));
  } else if (pathname.startsWith('/assets/')) event.respondWith(getAsset(request));
  else if (pathname === PING) event.respondWith(ask(request));
  else if (isOffline && (isCachedRead(pathname) || isCachedPicture(pathname))) {
    event.respondWith(readOfflineCache(request));
  }
});

// The browser tries again later when this rejects.
self.addEventListener('sync', (event) => {
  if (event.tag.startsWith(UPLOADS_TAG)) event.waitUntil(sendKeptFiles());
});

/** Links of guests and the API have pages of their own, which only the server can write. */
const isPagePath = (path: string): boolean => !/^\/(?:api|share|s|\.well-known)(?:\/|$)/.test(path);

async function precache(): Promise<void> {
  const cache = await caches.open(CACHE);
  // Past the browser's own cache, where the page of an earlier version may be.
  await cache.addAll(
    [PAGE, ...Object.values(MANIFESTS)].map((path) => new Request(path, { cache: 'reload' })),
  );
  await cache.addAll([...SHELL_FILES]);
}

async function deleteOldVersions(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  const old = names.slice(0, Math.max(0, names.length - (VERSIONS_KEPT - 1)));
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** The server's answer, whatever it is; without one in time, the cached page. */
async function openPage(request: Request): Promise<Response> {
  try {
    return await ask(request, AbortSignal.timeout(PAGE_LIMIT_MS));
  } catch (error) {
    const cached = await (await caches.open(CACHE)).match(PAGE);
    if (cached) return cached;
    throw error;
  }
}

/** The worker knows before the page whether the server answers. */
async function ask(request: Request, signal: AbortSignal = request.signal): Promise<Response> {
  try {
    const response = await fetch(request, { signal });
    isOffline = UNREACHABLE_STATUS.includes(response.status);
    return response;
  } catch (error) {
    isOffline = true;
    throw error;
  }
}

const readOfflineCache = async (request: Request): Promise<Response> =>
  (await (await caches.open(OFFLINE_CACHE)).match(request, { ignoreVary: true })) ?? fetch(request);

/** The page asks the person about them: any site could send files here. */
async function storeSharedFiles(request: Request): Promise<Response> {
  const form = await request.formData();
  const cache = await caches.open(SHARED_FILES);
  for (const [at, file] of form.getAll('files').entries()) {
    if (!(file instanceof File)) continue;
    const query = new URLSearchParams({ name: file.name, at: String(at) });
    await cache.put(`${SHARE_TARGET}?${query}`, new Response(file));
  }
  return Response.redirect(`/photos?${SHARED_PARAMETER}`, 303);
}

/** The name of an asset changes with its content: any version of the page may have cached it. */
async function getAsset(request: Request): Promise<Response> {
  const cached = await caches.match(request, { ignoreVary: true });
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok) {
    const copy = response.clone();
    void caches.open(CACHE).then((cache) => cache.put(request, copy));
  }
  return response;
}
