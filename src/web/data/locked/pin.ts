import { queryOptions, useQuery } from '@tanstack/react-query';
import { get, post, put, remove } from '../../base/api.ts';
import { mutate, queryClient, updateData } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import { createPersonalStore } from '../../base/store.ts';
import { type Filter, waitUntilIdle } from '../timeline/timeline-data.ts';
import type { AuthStatus } from '../types.ts';

/** Whether there is a PIN, and whether it was entered in this session. */
const pinStatusQuery = () =>
  queryOptions({ queryKey: keys.pin, queryFn: () => get<AuthStatus>('/auth/status') });

export const usePinStatus = () => useQuery(pinStatusQuery());
/** The status as it is known: what appears while the session is being locked must not ask again. */
export const useKnownPinStatus = () => useQuery({ ...pinStatusQuery(), staleTime: Infinity });

export const fetchPinStatus = (): Promise<AuthStatus> =>
  queryClient.fetchQuery({ ...pinStatusQuery(), staleTime: 0 });

/** Sends a change of the PIN; resolves when the new status is shown. */
const changePin = async (send: () => Promise<unknown>): Promise<void> => {
  await mutate(send, { invalidates: [keys.pin] });
};

export async function setUpPin(pinCode: string): Promise<void> {
  await changePin(() => post('/auth/pin-code', { pinCode }));
  await unlock({ pinCode });
}
export const replacePin = (newPinCode: string, password: string): Promise<void> =>
  changePin(() => put('/auth/pin-code', { newPinCode, password }));
export const createPin = (pinCode: string): Promise<void> =>
  changePin(() => post('/auth/pin-code', { pinCode }));
export const removePin = (password: string): Promise<void> =>
  changePin(() => remove('/auth/pin-code', { password }));

export const unlock = (proof: { pinCode: string } | { password: string }): Promise<void> =>
  changePin(() => post('/auth/session/unlock', proof));

export const LOCKED: Filter = { visibility: 'locked' };

/** Locks the session. The photos leave the screen first, so that nothing asks for them any more. */
export const lockSession = (): Promise<void> =>
  changePin(async () => {
    await updateData<AuthStatus>(keys.pin, (old) => ({ ...old, isElevated: false }));
    await waitUntilIdle(LOCKED);
    await post('/auth/session/lock');
  });

type Question = { resolve: (isOpen: boolean) => void };
/** An action that waits for the PIN; the dialog is in the shell. */
export const pinPrompt = createPersonalStore<Question | undefined>(undefined);

/** Asks for the PIN unless it was entered before. Resolves with false if it is not given. */
export async function askForPin(): Promise<boolean> {
  const { isElevated } = await fetchPinStatus();
  if (isElevated) return true;
  return new Promise((resolve) => pinPrompt.set({ resolve }));
}

/** Resolves with true once there is a PIN, without which locked photos would be out of reach. */
export async function ensurePin(): Promise<boolean> {
  const { pinCode } = await fetchPinStatus();
  return pinCode || askForPin();
}
