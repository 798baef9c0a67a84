import type { Log } from '../core/log.ts';
import { ModelUnprepared } from './errors.ts';
import type { Machine } from './models/prepared.ts';
import { prepareModels } from './preparation.ts';

/** A file that could not be prepared is tried again after this time. */
const RETRY_MS = 10 * 60_000;

/** Prepares models when a call meets one that is not: installed by hand, by an older version, for another machine. */
export function createPreparer(folders: readonly string[], log: Log) {
  const failedAt = new Map<string, number>();
  let running: Promise<ReadonlyMap<string, Error>> | undefined;

  const prepare = (machine: Machine) =>
    (running ??= prepareModels(folders, machine).finally(() => (running = undefined)));

  function giveUp(path: string, reason: string): void {
    failedAt.set(path, performance.now());
    log.warn('a model cannot be prepared, it runs as it was published: slower', { path, reason });
  }

  return {
    /** Files that are run as they were published. */
    published: (): readonly string[] =>
      [...failedAt].flatMap(([path, at]) => (performance.now() - at < RETRY_MS ? [path] : [])),
    /** Calls the child, again after each file that had to be prepared. */
    async call<T>(ask: () => Promise<T>): Promise<T> {
      const prepared = new Set<string>();
      for (;;) {
        try {
          return await ask();
        } catch (error) {
          if (!(error instanceof ModelUnprepared)) throw error;
          const { path, machine } = error;
          const fault = (await prepare(machine)).get(path);
          if (fault || prepared.has(path)) giveUp(path, fault?.message ?? 'it is not found');
          prepared.add(path);
        }
      }
    },
  };
}
