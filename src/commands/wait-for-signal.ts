import type { Log } from '../core/log.ts';

/** `make` and `timeout` pass on a signal that the process has got already. */
const REPEAT_MS = 500;

/** Resolves at the first SIGTERM or SIGINT; another one, later, ends the process at once. */
export async function waitForSignal(log: Log): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let askedAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (askedAt !== undefined) {
      if (performance.now() - askedAt < REPEAT_MS) return;
      log.warn('ended by a second signal');
      process.exit(1);
    }
    askedAt = performance.now();
    log.info('stopping', { signal });
    resolve();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return promise;
}
