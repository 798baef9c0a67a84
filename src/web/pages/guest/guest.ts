import { ApiError, enterAsGuest, get, getMessage, isRetryable, post } from '../../base/api.ts';
import type { GuestPath } from '../../base/guest-path.ts';
import { createStore } from '../../base/store.ts';
import type { SharedLink } from '../../data/types.ts';
import { t } from '../../base/i18n.ts';

export type Visit =
  | { stage: 'starting' }
  | { stage: 'password' }
  | { stage: 'refused'; error: string; canRetry: boolean }
  | { stage: 'open'; link: SharedLink };

export const visit = createStore<Visit>({ stage: 'starting' });

export async function startVisit({ link }: GuestPath): Promise<void> {
  enterAsGuest(link);
  await openLink();
}

export async function openLink(): Promise<void> {
  try {
    visit.set({ stage: 'open', link: await get<SharedLink>('/shared-links/me') });
  } catch (error) {
    const needsPassword = error instanceof ApiError && error.serverMessage === 'Password required';
    visit.set(
      needsPassword
        ? { stage: 'password' }
        : { stage: 'refused', error: describeRefusal(error), canRetry: isRetryable(error) },
    );
  }
}

const describeRefusal = (error: unknown): string =>
  error instanceof ApiError && error.status === 401
    ? t('It may have expired, or the address is incomplete.')
    : getMessage(error);

export async function enterPassword(password: string): Promise<void> {
  await post('/shared-links/login', { password });
  await openLink();
}
