import { whenIdle } from '../ui/lazy.tsx';
import { onLiveEvent } from '../base/live.ts';
import { evictItems, evictPictures, cachePictures } from '../base/offline-cache.ts';

/**
 * Lets the page start without a connection from now on, with what it has shown lately. Browsers have service workers
 * over HTTPS and on the machine itself only, and some windows have none.
 */
export function registerWorker(): void {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (!container) return;
  whenIdle(() => void container.register('/service-worker.js').then(precacheUsed, () => undefined));
  cachePictures();
  onLiveEvent(({ name, args }) => {
    if (name === MANY_CHANGED) return evictPictures();
    if (!GONE.includes(name)) return;
    evictItems(args.flat().filter((id): id is string => typeof id === 'string'));
  });
}

/** Events of items that are locked or deleted now. */
const GONE: readonly string[] = ['on_asset_hidden', 'on_asset_trash', 'on_asset_delete'];
/** More items have changed than the server lists: any of them may be locked. */
const MANY_CHANGED = 'on_library_update';

/** Loads again through the worker what came before it, as the catalogue of the language. */
async function precacheUsed(): Promise<void> {
  await navigator.serviceWorker.ready;
  const used = performance
    .getEntriesByType('resource')
    .map(({ name }) => new URL(name))
    .filter(
      ({ origin, pathname }) => origin === location.origin && pathname.startsWith('/assets/'),
    );
  await Promise.allSettled(used.map((url) => fetch(url)));
}
