import { readStorage, writeStorage } from './storage.ts';
import type { TabLocks } from './tab-locks.ts';

// Locks for browsers without Web Locks. The holder writes the time into the storage again and again, and is alive while
// that time is recent. This errs on the safe side: a tab that was killed seems alive for some minutes more, but a tab that
// is at work never seems dead, so that no other tab takes its work away.

type Times = {
  /** Interval in ms at which the holder writes the time. */
  readonly beatMs: number;
  /** Browsers run the timers of a hidden tab once a minute only. */
  readonly aliveMs: number;
  /** Time in ms in which a write reaches the other tabs. */
  readonly settleMs: number;
};

const TIMES: Times = { beatMs: 10_000, aliveMs: 150_000, settleMs: 100 };

const toKey = (name: string): string => `safelight.lock.${name}`;

export function createStorageLocks({ beatMs, aliveMs, settleMs }: Times = TIMES): TabLocks {
  const isLocked = (name: string): boolean => {
    const [, time] = (readStorage(toKey(name)) ?? '').split(' ');
    return time !== undefined && Math.abs(Date.now() - Number(time)) < aliveMs;
  };
  return {
    async tryLock(name) {
      if (isLocked(name)) return undefined;
      const key = toKey(name);
      const holder = toHex(crypto.getRandomValues(new Uint32Array(4)));
      const isOwn = () => readStorage(key)?.startsWith(`${holder} `) ?? false;
      const write = () => writeStorage(key, `${holder} ${Date.now()}`);
      write();
      // When two tabs have found it free, the later one has it.
      await new Promise((done) => setTimeout(done, settleMs));
      // Without a storage there is nothing to own.
      if (!isOwn() && readStorage(key) !== null) return undefined;
      const beat = setInterval(() => isOwn() && write(), beatMs);
      const release = () => {
        clearInterval(beat);
        globalThis.removeEventListener?.('pagehide', leave);
        if (isOwn()) writeStorage(key, undefined);
      };
      const leave = (event: PageTransitionEvent) => {
        // A page in the back/forward cache may go on with its work.
        if (!event.persisted) release();
      };
      globalThis.addEventListener?.('pagehide', leave);
      return release;
    },
    filterLocked: async (names) => new Set(names.filter(isLocked)),
  };
}

const toHex = (words: Uint32Array): string =>
  Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
