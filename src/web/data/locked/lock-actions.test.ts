import { beforeEach, expect, test } from 'bun:test';
import {
  readToast,
  refusal,
  undoLast,
  startPageServer,
} from '../../../../test/support/page-server.ts';
import { until } from '../../../../test/support/until.ts';
import { queryClient } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { AuthStatus } from '../types.ts';
import { lock, unlockAssets } from './lock-actions.ts';
import { askForPin, lockSession, pinPrompt, setUpPin } from './pin.ts';

const server = startPageServer();
let status: { pinCode: boolean; isElevated: boolean };

beforeEach(() => {
  pinPrompt.set(undefined);
  status = { pinCode: true, isElevated: true };
  server.answer('GET /auth/status', () => ({ ...status }));
  server.answer('POST /assets/lock', () => undefined);
  server.answer('POST /assets/unlock', () => undefined);
});

/** Enters the PIN when it is asked for. */
async function answerPrompt(isOpen: boolean): Promise<void> {
  await until(() => pinPrompt.get() !== undefined);
  const question = pinPrompt.get()!;
  pinPrompt.set(undefined);
  question.resolve(isOpen);
}

test('photos are locked without the PIN where there is one, and Undo asks for it', async () => {
  status.isElevated = false;
  expect(await lock(new Set(['a', 'b']))).toBe(true);
  expect(readToast()?.text).toBe('2 items locked and hidden from albums');
  const undone = undoLast();
  await answerPrompt(true);
  await undone;
  expect(server.listBodies('POST /assets/unlock')).toEqual([{ ids: ['a', 'b'] }]);
});

test('without a PIN photos are locked only when one was set: nobody could see them again', async () => {
  status = { pinCode: false, isElevated: false };
  const refused = lock(new Set(['a']));
  await answerPrompt(false);
  expect(await refused).toBe(false);
  const locked = lock(new Set(['a']));
  await answerPrompt(true);
  expect(await locked).toBe(true);
  expect(server.listBodies('POST /assets/lock')).toEqual([{ ids: ['a'] }]);
});

test('photos stay locked when the PIN is not entered, and the person is told', async () => {
  status.isElevated = false;
  const done = unlockAssets(new Set(['a']));
  await answerPrompt(false);
  expect(await done).toBe(false);
  expect(readToast()).toMatchObject({
    kind: 'error',
    text: 'They stay locked: the PIN was not entered.',
  });
  expect(server.listChanges()).toEqual([]);
});

test('the PIN is not asked for again while the session is open', async () => {
  expect(await askForPin()).toBe(true);
  expect(pinPrompt.get()).toBeUndefined();
});

test('a new PIN opens the session, a refused one does not', async () => {
  server.answer('POST /auth/pin-code', () => undefined);
  server.answer('POST /auth/session/unlock', () => undefined);
  await setUpPin('123456');
  expect(server.listChanges()).toEqual(['POST /auth/pin-code', 'POST /auth/session/unlock']);
  server.forget();
  server.answer('POST /auth/pin-code', () =>
    refusal(400, { message: 'User already has a PIN code' }),
  );
  await expect(setUpPin('654321')).rejects.toMatchObject({ status: 400 });
  expect(server.listChanges()).toEqual(['POST /auth/pin-code']);
});

test('locking hides the photos before the server has answered', async () => {
  queryClient.setQueryData(keys.pin, { ...status } as AuthStatus);
  const answer = Promise.withResolvers<void>();
  server.answer('POST /auth/session/lock', () => answer.promise);
  const locked = lockSession();
  await until(() => server.listChanges().length === 1);
  expect(queryClient.getQueryData<AuthStatus>(keys.pin)?.isElevated).toBe(false);
  answer.resolve();
  await locked;
});
