import { put } from '../../base/api.ts';
import { createPersonalStore } from '../../base/store.ts';
import type { Login } from '../types.ts';

/** Whether the account has logged in for the first time, and has not seen how a phone is connected. */
export const isIntroductionDue = createPersonalStore(false);

/** A login of an account that has closed the introduction, here or in another client, shows none. */
export const scheduleIntroduction = ({ isOnboarded }: Pick<Login, 'isOnboarded'>): void =>
  isIntroductionDue.set(!isOnboarded);

export async function finishIntroduction(): Promise<void> {
  isIntroductionDue.set(false);
  // If that is lost, the next login shows it again.
  await put('/users/me/onboarding', { isOnboarded: true }).catch(() => undefined);
}
