import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../core/log.ts';
import type { Postmaster } from './postmaster.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A server that lived this long starts with the shortest pause again. */
const STABLE_MS = 60_000;

export type Supervised = {
  readonly pid: () => number;
  /** Stops the server, which is started again at once: sessions end, statements are sent again. */
  restart(): void;
  stop(): Promise<void>;
};

/**
 * Keeps a server running until `stop`: a postmaster that dies is started again, later each time.
 * The first start fails loudly; later ones are tried for ever, because the pool reconnects by itself.
 */
export async function supervise(start: () => Promise<Postmaster>, log: Log): Promise<Supervised> {
  let current = await start();
  let stopping = false;
  const stopped = new AbortController();

  const loop = (async () => {
    let pause = FIRST_PAUSE_MS;
    while (!stopping) {
      const since = Date.now();
      const how = await current.exited;
      if (stopping) return;
      if (Date.now() - since > STABLE_MS) pause = FIRST_PAUSE_MS;
      log.error('the database server ended: starting it again', { how, pauseMs: pause });
      while (!stopping) {
        await delay(pause, undefined, { signal: stopped.signal }).catch(() => {});
        pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
        if (stopping) return;
        try {
          current = await start();
          log.info('the database server runs again', { pid: current.pid });
          break;
        } catch (error) {
          log.error('the database server does not start', { error });
        }
      }
    }
  })();

  return {
    pid: () => current.pid,
    restart: () => void current.stop(),
    async stop() {
      stopping = true;
      stopped.abort();
      await current.stop();
      await loop;
      // A start that was under way when we stopped.
      await current.stop();
    },
  };
}
