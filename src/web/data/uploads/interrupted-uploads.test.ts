import { afterAll, beforeEach, expect, test } from 'bun:test';
import { MemoryStorage } from '../../../../test/support/memory-storage.ts';
import { tabLocks } from '../../base/tab-locks.ts';
import { findInterrupted, type InterruptedUpload } from './interrupted-uploads.ts';
import { toLockName } from './lock-names.ts';

const HOUR = 3_600_000;

beforeEach(() => {
  globalThis.localStorage = new MemoryStorage();
});
afterAll(() => Reflect.deleteProperty(globalThis, 'localStorage'));

/** Writes what a tab remembers that is closed now. */
function leave(id: string, more: Partial<InterruptedUpload> = {}): InterruptedUpload {
  const at = Date.now() - HOUR;
  const upload = { id, sha256: `${id}=`, userId: 'ada', name: `${id}.jpg`, size: 9, at, ...more };
  const half = upload.isHalf ? '.half' : '';
  const key = `safelight.upload.${upload.userId}.${upload.sha256}${half}`;
  localStorage.setItem(key, JSON.stringify(upload));
  return upload;
}

const find = async () => (await findInterrupted('ada')).map(({ id }) => id);

test('an upload is interrupted when no tab holds its lock', async () => {
  const [first, second] = [leave('one', { at: Date.now() - 2 * HOUR }), leave('two')];
  leave('half', { sha256: first.sha256, isHalf: true });
  leave('of another account', { userId: 'adam' });
  expect(await find()).toEqual(['one', 'two', 'half']);
  const release = await tabLocks.tryLock(toLockName(first));
  expect(await find()).toEqual(['two']);
  expect(await tabLocks.tryLock(toLockName(second))).toBeFunction();
  expect(await find()).toEqual([]);
  release!();
  expect(await find()).toEqual(['one', 'half']);
});

test('one that the server has given up is not listed, nor kept', async () => {
  leave('old', { at: Date.now() - 24 * HOUR });
  leave('new');
  localStorage.setItem('safelight.upload.ada.broken', '{');
  expect(await find()).toEqual(['new']);
  expect(localStorage.getItem('safelight.upload.ada.old=')).toBeNull();
});
