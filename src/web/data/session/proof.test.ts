import { afterEach, expect, test } from 'bun:test';
import { startPageAddress } from '../../../../test/support/page-address.ts';
import { refusal, startPageServer } from '../../../../test/support/page-server.ts';
import { until } from '../../../../test/support/until.ts';
import { put, setProofListener } from '../../base/api.ts';
import { finishIntroduction, isIntroductionDue, scheduleIntroduction } from './introduction.ts';
import { askForProof, giveProof, proofPrompt } from './proof.ts';
import { forgetSearches, listRecentSearches, rememberSearch } from './recent-searches.ts';

startPageAddress();
const server = startPageServer();
afterEach(() => setProofListener(async () => false));

const answerPrompt = async (isGiven: boolean) => {
  await until(() => proofPrompt.get() !== undefined);
  const { resolve } = proofPrompt.get()!;
  proofPrompt.set(undefined);
  resolve(isGiven);
};

test('changes that need a proof wait for one dialog, and are sent again', async () => {
  let isProven = false;
  setProofListener(askForProof);
  server.answer('POST /auth/session/proof', () => void (isProven = true));
  server.answer('PUT /a', () =>
    isProven ? { id: 'a' } : refusal(403, { code: 'proof_required' }),
  );
  server.answer('PUT /b', () =>
    isProven ? { id: 'b' } : refusal(403, { code: 'proof_required' }),
  );
  const both = Promise.all([put('/a'), put('/b')]);
  await until(() => server.listChanges().length === 2);
  await giveProof({ pinCode: '123456' });
  await answerPrompt(true);
  expect(await both).toEqual([{ id: 'a' }, { id: 'b' }]);
  expect(server.listBodies('POST /auth/session/proof')).toEqual([{ pinCode: '123456' }]);
  expect(proofPrompt.get()).toBeUndefined();
});

test('without a proof the refusal stands, and nothing is sent again', async () => {
  setProofListener(askForProof);
  server.answer('PUT /a', () => refusal(403, { code: 'proof_required' }));
  const refused = put('/a').catch((error: { code?: string }) => error.code);
  await answerPrompt(false);
  expect(await refused).toBe('proof_required');
  expect(server.listChanges()).toEqual(['PUT /a']);
});

test('recent searches are the last six of one account, each once', () => {
  for (const words of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'c']) rememberSearch('ada', words);
  rememberSearch('bob', 'z');
  expect(listRecentSearches('ada')).toEqual(['c', 'g', 'f', 'e', 'd', 'b']);
  forgetSearches('ada');
  expect(listRecentSearches('ada')).toEqual([]);
  expect(listRecentSearches('bob')).toEqual(['z']);
});

test('a browser that keeps nothing remembers no searches, and goes on', () => {
  localStorage.setItem = () => {
    throw new Error('full');
  };
  rememberSearch('ada', 'a');
  expect(listRecentSearches('ada')).toEqual([]);
});

test('a wrong proof is refused', async () => {
  server.answer('POST /auth/session/proof', () => refusal(400, { message: 'Wrong PIN code' }));
  expect(await giveProof({ pinCode: '000000' }).catch((error: Error) => error.name)).toBe(
    'ApiError',
  );
});

test('an introduction is due until it was seen, and over also when that cannot be saved', async () => {
  scheduleIntroduction({ isOnboarded: true });
  expect(isIntroductionDue.get()).toBe(false);
  scheduleIntroduction({ isOnboarded: false });
  expect(isIntroductionDue.get()).toBe(true);
  await finishIntroduction();
  expect(isIntroductionDue.get()).toBe(false);
  expect(server.listBodies('PUT /users/me/onboarding')).toEqual([{ isOnboarded: true }]);
});

test.each(['{', '{"a":1}', '[1,null,"ok"]'])(
  'a stored list that is damaged (%p) is no fault',
  (stored) => {
    localStorage.setItem('recent-searches:ada', stored);
    expect(listRecentSearches('ada')).toEqual(stored.startsWith('[') ? ['ok'] : []);
  },
);
