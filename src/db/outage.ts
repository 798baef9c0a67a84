import { isServerFault } from './errors.ts';

/** A database that restarts is back before a lease ends: finished work is not lost. */
const OUTAGE_MS = 20_000;
const PAUSE_MS = 250;

/** Retries while the server of the database is at fault, for as long as a restart takes. */
export async function retryThroughOutage<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + OUTAGE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isServerFault(error) || performance.now() > end) throw error;
      await Bun.sleep(PAUSE_MS);
    }
  }
}
