import { getErrorMessage, type Log } from '../core/log.ts';
import type { Lane } from '../core/lanes.ts';
import type { Db } from '../db/client.ts';
import { isDatabaseError } from '../db/errors.ts';
import type { AsyncEvent } from './async-event.ts';
import type { ClaimedJob } from './claims.ts';
import { retryGivenUp } from './given-up.ts';
import { endFault, endLeftFault, retryFaulted, saveFault } from './faults.store.ts';
import type { createFaultPauses } from './machine-faults.ts';

type FaultRecordOptions = {
  readonly db: Db;
  readonly log: Log;
  readonly lane: Lane;
  readonly pauses: ReturnType<typeof createFaultPauses>;
  /** Names of the jobs of the lane that are tried again after they were given up. */
  readonly retried: readonly string[];
  /** Notified when others can be tried. */
  readonly changed: AsyncEvent;
};

/** Pauses the jobs that meet a fault of the machine, and records the fault for administrators until it has ended. */
export function createFaultRecords({
  db,
  log,
  lane,
  pauses,
  retried,
  changed,
}: FaultRecordOptions) {
  let saving: Promise<unknown> = Promise.resolve();
  /** Saves in order, so that the end of a fault comes after its beginning. */
  const save = (work: () => Promise<unknown>) => {
    saving = saving.then(work).catch((error: unknown) => {
      log.warn('a fault of the machine cannot be saved', { error });
    });
  };

  return {
    /** Tries the faults again that were there when this thread started: perhaps they are over. */
    async retry(): Promise<void> {
      const names = await retryFaulted(db, lane).catch(() => []);
      for (const name of names) pauses.begin(name, 0);
    },
    record({ name, faults }: ClaimedJob, error: unknown): void {
      if (pauses.begin(name)) {
        log.warn('jobs paused: the machine is at fault', { job: name, error });
      }
      // A failover ends connections once: it needs nobody unless the next attempt meets the same.
      if (faults === 0 && isDatabaseError(error, 'connectionFailure')) return;
      const reason = error instanceof Error ? getErrorMessage(error) : String(error);
      save(() => saveFault(db, { name, lane, error: reason }));
    },
    end({ name, faults }: ClaimedJob): void {
      // Another job may not need what is missing: it tells only that others can be tried.
      const wasPaused = pauses.end(name);
      if (wasPaused) {
        log.info('jobs resumed', { job: name });
        // Others were perhaps given up because of it.
        save(() => retryGivenUp(db, retried, { isAtOnce: true }).then(() => changed.notify()));
      }
      if (faults > 0) save(() => endFault(db, name).then(() => changed.notify()));
      else if (wasPaused) save(() => endLeftFault(db, name));
    },
    whenSaved: () => saving,
  };
}
