import { ApiError, isRetryable } from '../../base/api.ts';
import { isOffline } from '../../base/connection.ts';

/** Whether it fails again whenever it is tried. After the end of a session it does not. */
export const isFinal = (error: unknown): boolean =>
  !isRetryable(error) && !(error instanceof ApiError && error.status === SIGNED_OUT);

const SIGNED_OUT = 401;

const asleep = new Set<() => void>();
/** Ends early when the network is back, or when nothing is wanted any more. */
export const sleep = (ms: number): Promise<void> =>
  new Promise((done) => {
    const wake = () => {
      clearTimeout(timer);
      asleep.delete(wake);
      done();
    };
    const timer = setTimeout(wake, ms);
    asleep.add(wake);
  });
export const endAllPauses = (): void => {
  for (const wake of asleep) wake();
};
isOffline.subscribe(() => {
  if (!isOffline.get()) endAllPauses();
});
