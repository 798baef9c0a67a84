import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string | undefined>();

/** Runs the work, and what it awaits, with this id: lines of the log and jobs that are enqueued get it. */
export const withCorrelationId = <T>(id: string | undefined, work: () => T): T =>
  storage.run(id, work);

/** Returns the id of the request, or of the job, that runs this code. */
export const getCorrelationId = (): string | undefined => storage.getStore();
