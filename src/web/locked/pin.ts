import { get, post } from '../api.ts';
import { createPersonalStore } from '../store.ts';
import { type Filter, waitUntilIdle } from '../timeline/timeline-data.ts';
import type { AuthStatus } from '../types.ts';

/** Whether there is a PIN, and whether it was entered in this session. */
export const pinState = createPersonalStore<AuthStatus | undefined>(undefined);

export const fetchPinState = async (): Promise<AuthStatus> => {
  const state = await get<AuthStatus>('/auth/status');
  pinState.set(state);
  return state;
};

export async function setUpPin(pinCode: string): Promise<void> {
  await post('/auth/pin-code', { pinCode });
  await unlock({ pinCode });
}

export async function unlock(proof: { pinCode: string } | { password: string }): Promise<void> {
  await post('/auth/session/unlock', proof);
  await fetchPinState();
}

export const LOCKED: Filter = { visibility: 'locked' };

/** What is on the screen goes first, so that nothing asks for it once it is closed. */
export async function lockNow(): Promise<void> {
  pinState.set((old) => old && { ...old, isElevated: false });
  await waitUntilIdle(LOCKED);
  await post('/auth/session/lock');
  await fetchPinState();
}

type Question = { resolve: (isOpen: boolean) => void };
/** An action waits for the PIN; the dialog is in the shell. */
export const pinQuestion = createPersonalStore<Question | undefined>(undefined);

/** Asks for the PIN where it is needed. False: it was not given. */
export async function askForPin(): Promise<boolean> {
  const { isElevated } = await fetchPinState();
  if (isElevated) return true;
  return new Promise((resolve) => pinQuestion.set({ resolve }));
}

/** There must be a PIN before something is put behind it, or its owner could not get at it. */
export async function ensurePin(): Promise<boolean> {
  const { pinCode } = await fetchPinState();
  return pinCode || askForPin();
}
