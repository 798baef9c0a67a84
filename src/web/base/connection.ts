import { PING, UNREACHABLE_STATUS } from './service-worker-names.ts';
import { createStore, type ReadableStore } from './store.ts';

// Whether the server answers. One failed request is not believed: the server is asked once more.

const PING_LIMIT_MS = 10_000;
const PING_EVERY_MS = 3000;

const offline = createStore(false);
/** True from when the server does not answer until it does again. */
export const isOffline: ReadableStore<boolean> = offline;

let checking: Promise<boolean> | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Asks the server whether it answers. Resolves with whether it does; never rejects. */
export function checkConnection(): Promise<boolean> {
  checking ??= ping().finally(() => (checking = undefined));
  return checking;
}

async function ping(): Promise<boolean> {
  const signal = AbortSignal.timeout(PING_LIMIT_MS);
  const isReached = await fetch(PING, { cache: 'no-store', signal }).then(
    ({ status }) => !UNREACHABLE_STATUS.includes(status),
    () => false,
  );
  clearTimeout(timer);
  if (!isReached) timer = setTimeout(() => void checkConnection(), PING_EVERY_MS);
  offline.set(!isReached);
  return isReached;
}

/** To be called with the status of each answer, and whether it is out of the cache of this browser. */
export function noteAnswer(status: number, isCached = false): void {
  if (isCached) {
    if (!offline.get()) void checkConnection();
    return offline.set(true);
  }
  // Also when the server answers again: the service worker learns it from the request that asks.
  if (UNREACHABLE_STATUS.includes(status) || offline.get()) void checkConnection();
}

/** Resolves when the server answers: at once unless it is known that it does not. */
export const whenOnline = (): Promise<void> =>
  new Promise((done) => {
    if (!offline.get()) return done();
    const stop = offline.subscribe(() => {
      stop();
      done();
    });
  });

/** Follows what the browser says about its network. */
export function watchConnection(): void {
  const check = () => void checkConnection();
  window.addEventListener('online', check);
  window.addEventListener('offline', check);
  document.addEventListener('visibilitychange', () => {
    if (offline.get() && document.visibilityState === 'visible') check();
  });
}
