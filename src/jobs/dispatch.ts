import type { Deps } from '../core/context.ts';
import { createAsyncEvent } from './async-event.ts';
import { reclaimLost } from './claims.ts';
import { LANES, type Lane } from './define.ts';
import { findWork, prepareSchedule, startScheduled } from './schedule.ts';

export type DispatchOptions = {
  readonly deps: Deps;
  readonly lanes: readonly Lane[];
  /** There may be work for this lane. */
  readonly wake: (lane: Lane) => void;
  readonly pollMs?: number;
};

export type Dispatch = { stop(): Promise<void> };

/** Between two looks even when a job is due sooner. */
const SHORTEST_MS = 200;

/**
 * Watches the queue for all lanes of this process on one connection: lanes without work sleep
 * without a thread and without a connection. A notice wakes a lane at once; the look every few
 * seconds finds what a lost notice left, delayed jobs, the schedule, and jobs of dead processes.
 */
export function startDispatch({ deps, lanes, wake, pollMs = 5000 }: DispatchOptions): Dispatch {
  const bell = createAsyncEvent();
  let isStopping = false;

  const isOurs = (name: string): name is Lane => lanes.includes(name as Lane);
  const listening = deps.sql
    .listen(
      'job_ready',
      (lane) => {
        if (isOurs(lane)) wake(lane);
        // A job put off may be due before the next look.
        else if (!LANES.includes(lane as Lane)) bell.notify();
      },
      // Also after a lost connection: what was announced meanwhile was missed.
      () => bell.notify(),
    )
    .catch((error: unknown) => {
      deps.log.error('LISTEN failed, polling for jobs', { error });
      return undefined;
    });

  async function look(): Promise<number> {
    await reclaimLost(deps.sql);
    await startScheduled(deps, lanes);
    const { ready, nextMs } = await findWork(deps.sql, lanes);
    for (const lane of ready) wake(lane);
    return Math.min(pollMs, Math.max(SHORTEST_MS, nextMs ?? pollMs));
  }

  async function loop(): Promise<void> {
    let isPrepared = false;
    while (!isStopping) {
      let delay = pollMs;
      try {
        if (!isPrepared) await prepareSchedule(deps.sql, lanes);
        isPrepared = true;
        delay = await look();
      } catch (error) {
        if (!isStopping) deps.log.error('cannot look for jobs', { error });
      }
      if (!isStopping) await bell.wait(delay);
    }
  }

  const looping = loop();
  return {
    async stop() {
      isStopping = true;
      bell.notify();
      // With a connection that is lost anyway, nobody listens any more.
      const unlistened = listening.then((listener) => listener?.unlisten()).catch(() => {});
      await Promise.all([looping, unlistened]);
    },
  };
}
