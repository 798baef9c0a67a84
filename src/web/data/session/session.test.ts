import { afterEach, beforeEach, expect, test } from 'bun:test';
import { queryClient } from '../../base/query-client.ts';
import { resetPersonalStores } from '../../base/store.ts';
import { readToast, refusal, startPageServer } from '../../../../test/support/page-server.ts';
import { finishIntroduction, isIntroductionDue, scheduleIntroduction } from './introduction.ts';
import { askForProof, giveProof, proofPrompt } from './proof.ts';
import { forgetSearches, listRecentSearches, rememberSearch } from './recent-searches.ts';

const server = startPageServer();

class MemoryStorage {
  readonly values = new Map<string, string>();
  getItem = (key: string) => this.values.get(key) ?? null;
  setItem = (key: string, value: string) => void this.values.set(key, value);
  removeItem = (key: string) => void this.values.delete(key);
}

const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
let storage: MemoryStorage;
beforeEach(() => {
  storage = new MemoryStorage();
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, value: storage });
});
afterEach(() => {
  resetPersonalStores();
  if (before) Object.defineProperty(globalThis, 'localStorage', before);
  else Reflect.deleteProperty(globalThis, 'localStorage');
});

test('the latest six searches are kept, each once, by account', () => {
  for (const words of ['a', 'b', 'c', 'd', 'e', 'f', 'a', 'g']) rememberSearch('ada', words);
  rememberSearch('bob', 'z');
  expect(listRecentSearches('ada')).toEqual(['g', 'a', 'f', 'e', 'd', 'c']);
  forgetSearches('ada');
  expect(listRecentSearches('ada')).toEqual([]);
  expect(listRecentSearches('bob')).toEqual(['z']);
});

test('what is no list of searches is none', () => {
  for (const text of ['{', '{"a":1}', 'null', '7']) {
    storage.setItem('recent-searches:ada', text);
    expect(listRecentSearches('ada')).toEqual([]);
  }
  storage.setItem('recent-searches:ada', '["a",1,null,"b"]');
  expect(listRecentSearches('ada')).toEqual(['a', 'b']);
});

test('a browser that keeps nothing remembers no searches, and goes on', () => {
  storage.setItem = () => {
    throw new Error('full');
  };
  rememberSearch('ada', 'a');
  expect(listRecentSearches('ada')).toEqual([]);
});

test('requests that wait for a proof wait for the same one', async () => {
  const [first, second] = [askForProof(), askForProof()];
  expect(second).toBe(first);
  proofPrompt.get()!.resolve(true);
  expect(await Promise.all([first, second])).toEqual([true, true]);
  proofPrompt.set(undefined);
  const third = askForProof();
  expect(third).not.toBe(first);
  proofPrompt.get()!.resolve(false);
  expect(await third).toBe(false);
});

test('a wrong proof is refused', async () => {
  server.answer('POST /auth/session/proof', ({ body }) =>
    body.pinCode === '123456' ? undefined : refusal(400, { message: 'Wrong PIN code' }),
  );
  await giveProof({ pinCode: '123456' });
  expect(giveProof({ pinCode: '000000' })).rejects.toThrow();
});

test('the introduction is due once, and not for an account that has seen it', async () => {
  scheduleIntroduction({ isOnboarded: true });
  expect(isIntroductionDue.get()).toBe(false);
  scheduleIntroduction({ isOnboarded: false });
  expect(isIntroductionDue.get()).toBe(true);
  server.answer('PUT /users/me/onboarding', () => ({}));
  await finishIntroduction();
  expect(isIntroductionDue.get()).toBe(false);
  expect(server.listBodies('PUT /users/me/onboarding')).toEqual([{ isOnboarded: true }]);
});

test('an introduction whose end cannot be saved is over all the same', async () => {
  scheduleIntroduction({ isOnboarded: false });
  await finishIntroduction();
  expect(isIntroductionDue.get()).toBe(false);
  expect(readToast()).toBeUndefined();
  expect(queryClient.isFetching()).toBe(0);
});
