import { afterEach, beforeEach, expect, setSystemTime, test } from 'bun:test';
import { MemoryStorage } from '../../../test/support/memory-storage.ts';
import { until } from '../../../test/support/until.ts';
import { createStorageLocks } from './storage-locks.ts';

// Several locks on one storage, as several tabs have them.

const NAME = 'safelight.upload ada abc=';
const MINUTE = 60_000;

beforeEach(() => {
  globalThis.localStorage = new MemoryStorage();
});
afterEach(() => {
  setSystemTime();
  Reflect.deleteProperty(globalThis, 'localStorage');
});

const createTab = () => createStorageLocks({ beatMs: 20, aliveMs: 150_000, settleMs: 10 });
const filter = async (name = NAME) => [...(await createTab().filterLocked([name]))];

test('one tab at a time has a lock, and the next one when it is released', async () => {
  const release = await createTab().tryLock(NAME);
  expect(await createTab().tryLock(NAME)).toBeUndefined();
  expect(await createTab().tryLock(`${NAME} other`)).toBeFunction();
  expect(await filter()).toEqual([NAME]);
  release!();
  expect(await filter()).toEqual([]);
  expect(await createTab().tryLock(NAME)).toBeFunction();
});

test('a tab that has a lock does not get it a second time', async () => {
  const tab = createTab();
  const release = await tab.tryLock(NAME);
  expect(await tab.tryLock(NAME)).toBeUndefined();
  release!();
  expect(await tab.tryLock(NAME)).toBeFunction();
});

test('one of several tabs that ask at the same time gets the lock', async () => {
  const releases = await Promise.all([1, 2, 3].map(() => createTab().tryLock(NAME)));
  expect(releases.filter(Boolean)).toHaveLength(1);
});

test('a tab at work is alive at any time, a killed one is not after three minutes', async () => {
  const release = await createTab().tryLock(NAME);
  // Its timers run.
  setSystemTime(Date.now() + 10 * MINUTE);
  await until(async () => (await filter()).includes(NAME));
  // A process that is killed runs no timer, and leaves what it has written.
  const left = localStorage.getItem(`safelight.lock.${NAME}`)!;
  release!();
  localStorage.setItem(`safelight.lock.${NAME}`, left);
  setSystemTime(Date.now() + MINUTE);
  expect(await filter()).toEqual([NAME]);
  expect(await createTab().tryLock(NAME)).toBeUndefined();
  setSystemTime(Date.now() + 2 * MINUTE);
  expect(await filter()).toEqual([]);
  expect(await createTab().tryLock(NAME)).toBeFunction();
});

test('a tab that was taken for dead does not take the lock back', async () => {
  const [dead, next] = [createTab(), createTab()];
  const releaseDead = await dead.tryLock(NAME);
  localStorage.removeItem(`safelight.lock.${NAME}`);
  const release = await next.tryLock(NAME);
  await Bun.sleep(60);
  releaseDead!();
  expect(await filter()).toEqual([NAME]);
  release!();
  expect(await filter()).toEqual([]);
});

test('without a storage every tab is on its own', async () => {
  Reflect.deleteProperty(globalThis, 'localStorage');
  expect(await createTab().tryLock(NAME)).toBeFunction();
  expect(await filter()).toEqual([]);
});
