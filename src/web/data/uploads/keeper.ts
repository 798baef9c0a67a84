import { coalesce } from '../../base/coalesce.ts';
import { isOffline } from '../../base/connection.ts';
import { UPLOADS_TAG } from '../../base/service-worker-names.ts';
import { adoptKeptFiles } from './adopt.ts';
import { uploads } from './items.ts';
import { createKeptItems } from './kept-items.ts';
import { keptUploads, NOTHING_KEPT } from './kept-uploads.ts';

// Keeps the files of the queue in the browser until the server has them, and has the browser upload them when the page
// is closed. A queue that is through in a moment, as in a home network, is not written to the disk for it, unless the
// connection is lost or the page goes out of sight.

const KEEP_AFTER_MS = 3000;

/** The state outlives a session that ends: the same account finds its queue when it logs in again. */
const kept = createKeptItems();

type SyncRegistration = ServiceWorkerRegistration & {
  readonly sync: { readonly register: (tag: string) => Promise<void> };
};

/** Keeps the files of this account. Returns the function that ends it. */
export function startKeeper(userId: string): () => void {
  let registration: SyncRegistration | undefined;
  let isOver = false;
  let canSync: boolean | undefined;
  const timer = createQueueTimer(() => updateSoon());

  /** Resolves with false where the person or the browser does not allow work in the background. */
  const requestSync = async (tag = UPLOADS_TAG): Promise<boolean> =>
    (await registration?.sync.register(tag).then(
      () => true,
      () => false,
    )) ?? false;

  async function update(): Promise<void> {
    if (isOver || !registration) return;
    const isWanted = () => !isOver && (timer.isDue() || isOffline.get() || document.hidden);
    const isMore = await kept.update(userId, isWanted);
    if (isMore || (canSync === undefined && !kept.isEmpty())) canSync = await requestSync();
    if (!isOver) keptUploads.set(kept.summarize(canSync === true));
  }

  let last: Promise<void> = Promise.resolve();
  /** Runs after those before it. A browser without room or permission is no failure of the queue. */
  const run = (): Promise<void> => (last = last.then(update).catch(() => undefined));
  const updateSoon = coalesce(run);
  const onQueue = () => {
    timer.follow(uploads.get().isRunning);
    updateSoon();
  };
  const onHide = () => {
    if (!kept.isEmpty()) void requestSync();
    if (document.hidden) void run();
  };
  // Another tag than before, which the browser may have put off because this page was open.
  const onLeave = () => {
    if (!kept.isEmpty()) void requestSync(`${UPLOADS_TAG}.${kept.queue}`);
  };
  const unfollow = [uploads.subscribe(onQueue), isOffline.subscribe(updateSoon)];
  document.addEventListener('visibilitychange', onHide);
  window.addEventListener('pagehide', onLeave);
  void navigator.serviceWorker.ready.then((ready) => {
    if ('sync' in ready) registration = ready as SyncRegistration;
    onQueue();
  });
  void adoptKeptFiles(userId, { ...kept.adopter, isOver: () => isOver }).catch(() => undefined);
  return () => {
    isOver = true;
    timer.follow(false);
    for (const end of unfollow) end();
    document.removeEventListener('visibilitychange', onHide);
    window.removeEventListener('pagehide', onLeave);
    keptUploads.set(NOTHING_KEPT);
  };
}

/** Tells when the queue has run for a while. */
function createQueueTimer(onDue: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;
  return {
    isDue: () => isDue,
    follow(isRunning: boolean) {
      if (!isRunning) {
        clearTimeout(timer);
        [timer, isDue] = [undefined, false];
        return;
      }
      timer ??= setTimeout(() => {
        isDue = true;
        onDue();
      }, KEEP_AFTER_MS);
    },
  };
}
