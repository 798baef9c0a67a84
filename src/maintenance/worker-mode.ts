import { getErrorMessage, type Log } from '../core/log.ts';
import { openDatabase } from '../db/client.ts';
import { NOT_ACCEPTING } from '../db/databases.ts';
import { getSqlState } from '../db/errors.ts';
import { createAsyncEvent } from '../jobs/async-event.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import { recordReason } from '../nodes/node.ts';
import { deleteNode } from '../nodes/store.ts';
import { MODE_DEADLINES } from './cluster-mode.ts';
import { findMode } from './cluster-mode.store.ts';

export type Stoppable = { stop(): Promise<void> };

type Options = {
  readonly url: string;
  readonly log: Log;
  /** Opens all that works on the database. */
  readonly openWork: () => Promise<Stoppable>;
  readonly periodMs?: number;
};

const PERIOD_MS = 2000;

/**
 * Has the work of a worker open while its servers are not in maintenance mode, and closed while they are, or while the
 * database is replaced: a node that is not listed as running has ended or released its jobs. Rejects when the work cannot
 * be opened at first; later it is tried again.
 */
export async function startWorkerMode(options: Options): Promise<Stoppable> {
  const { url, log, openWork, periodMs = PERIOD_MS } = options;
  const database = openDatabase(url, { max: 1, name: 'mode', deadlines: MODE_DEADLINES });
  const { db } = database;
  const stopped = createAsyncEvent();
  let work: Stoppable | undefined;
  let isStopping = false;
  let isPaused = false;

  async function isInMaintenance(): Promise<boolean> {
    try {
      return (await findMode(db)) !== undefined;
    } catch (error) {
      if (getSqlState(error) === NOT_ACCEPTING) return true;
      throw error;
    }
  }

  async function follow(): Promise<void> {
    if (await isInMaintenance()) return pause();
    if (isPaused) log.info('maintenance mode has ended');
    isPaused = false;
    work ??= await openWork();
  }

  async function pause(): Promise<void> {
    if (!isPaused) log.warn('no jobs run in maintenance mode');
    isPaused = true;
    await work?.stop();
    work = undefined;
    const reason = 'Maintenance mode';
    await recordReason(db, { role: 'worker', address: undefined, state: 'starting', reason });
  }

  async function loop(): Promise<void> {
    let failure: string | undefined;
    while (!isStopping) {
      await stopped.wait(periodMs);
      if (isStopping) return;
      try {
        await follow();
        failure = undefined;
      } catch (error) {
        const found = getErrorMessage(error as Error);
        if (found !== failure) log.warn('following maintenance mode failed', { error });
        failure = found;
      }
    }
  }

  try {
    await follow();
  } catch (error) {
    await database.close();
    throw error;
  }
  const looping = loop();
  return {
    async stop() {
      isStopping = true;
      stopped.notify();
      await looping;
      await work?.stop();
      if (isPaused) await deleteNode(db, NODE_ID).catch(() => {});
      await database.close();
    },
  };
}
