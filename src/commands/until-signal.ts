import type { Log } from '../core/log.ts';

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
export async function untilSignal(log: Log): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked) {
      log.warn('ended by a second signal');
      process.exit(1);
    }
    asked = true;
    log.info('stopping', { signal });
    resolve();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return promise;
}
