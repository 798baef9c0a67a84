import type { Application } from '../application.ts';
import { Failure } from '../core/command-line.ts';
import type { Log } from '../core/log.ts';
import { openDatabase } from '../db/client.ts';
import { startListener } from '../http/listener.ts';
import { createCheckSession, deleteCheckSession } from './self-check.store.ts';

/** A request without an answer for so long has failed; there is no limit for all together. */
const STALL_MS = 60_000;
const MAX_TRIES = 5;
const RETRY_MS = 2000;

/**
 * Asks an application for its page and one list of each area, through its HTTP server on loopback, as an
 * administrator. Throws Failure for the first answer that is an error of the server.
 */
export async function checkApplication(
  application: Application,
  databaseUrl: string,
  log: Log,
): Promise<void> {
  const database = openDatabase(databaseUrl, { max: 1, name: 'self-check' });
  const listener = await startListener({
    fetch: application.fetch,
    host: '127.0.0.1',
    port: 0,
    log,
  });
  const token = await createCheckSession(database.db);
  try {
    const paths = ['/', '/api/server/ping', ...(token ? application.readPaths : [])];
    for (const path of paths) await checkPath(`${listener.url}${path}`, path, token);
  } finally {
    if (token) await deleteCheckSession(database.db, token);
    await listener.stop(0);
    await database.close();
  }
}

async function checkPath(url: string, path: string, token: string | undefined): Promise<void> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(STALL_MS),
      headers: { accept: 'text/html,*/*', ...(token && { authorization: `Bearer ${token}` }) },
    });
    await response.arrayBuffer();
    if (response.status < 500) return;
    // The machine is at fault for the moment.
    if (response.status !== 503 || tries === MAX_TRIES) {
      throw new Failure(`The self-check failed: GET ${path} returned ${response.status}`);
    }
    await Bun.sleep(RETRY_MS);
  }
}
