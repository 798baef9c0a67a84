import { createStorageLocks } from './storage-locks.ts';

// A tab that keeps something in the storage of the browser about its own running work holds a lock as long as it works.
// Other tabs see the same storage, and leave the work alone while the lock is held.

export type Release = () => void;

export type TabLocks = {
  /** Returns undefined while a tab holds the lock, this one included. A tab that is closed holds no lock. */
  tryLock(name: string): Promise<Release | undefined>;
  /** Returns those of `names` whose lock a tab holds. */
  filterLocked(names: readonly string[]): Promise<ReadonlySet<string>>;
};

const createWebLocks = (manager: LockManager): TabLocks => ({
  tryLock: (name) =>
    new Promise((resolve) => {
      const hold = (lock: Lock | null) => {
        if (!lock) return resolve(undefined);
        return new Promise<void>((release) => resolve(release));
      };
      // A browser that denies locks denies storage too: then a tab shares nothing with others.
      manager.request(name, { ifAvailable: true }, hold).catch(() => resolve(() => {}));
    }),
  async filterLocked(names) {
    const { held = [] } = await manager.query();
    const all = new Set(held.map(({ name }) => name));
    return new Set(names.filter((name) => all.has(name)));
  },
});

/** A browser has Web Locks in secure contexts only, and a home server is often plain HTTP. */
const manager = globalThis.navigator?.locks as LockManager | undefined;

export const tabLocks: TabLocks = manager ? createWebLocks(manager) : createStorageLocks();

/** Returns undefined, and holds none, while a tab holds one of them. */
export async function tryLockAll(names: readonly string[]): Promise<Release | undefined> {
  const releases: Release[] = [];
  const releaseAll = () => releases.forEach((release) => release());
  for (const name of names) {
    const release = await tabLocks.tryLock(name);
    if (!release) {
      releaseAll();
      return undefined;
    }
    releases.push(release);
  }
  return releaseAll;
}
