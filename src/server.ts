import { mkdirSync, readFileSync } from 'node:fs';
import { createApp } from './app.ts';
import { Failure } from './core/command-line.ts';
import type { Deps } from './core/context.ts';
import type { Log } from './core/log.ts';
import { dataPaths } from './core/paths.ts';
import type { Settings } from './core/settings.ts';
import { openDatabase } from './db/client.ts';
import { migrate } from './db/migrate.ts';
import { startDatabase } from './db/server.ts';
import { type Listener, startListener } from './http/listener.ts';

export type Server = {
  readonly url: string;
  readonly port: number;
  /** Requests that run are answered, then jobs that run are finished, then the database stops. */
  stop(): Promise<void>;
};

/**
 * The whole server in the order of what a first request needs; what it does not need starts after
 * the listener. What fails half-way is taken apart again.
 */
export async function startServer(settings: Settings, log: Log): Promise<Server> {
  const parts: Part[] = [];
  const stop = () => stopParts(parts, log);
  try {
    const paths = dataPaths(settings.dataDir);
    for (const folder of [paths.originals, paths.derived, paths.incoming]) {
      mkdirSync(folder, { recursive: true });
    }
    const server = await startDatabase(settings, log);
    parts.push({ name: 'database', stop: server.stop });
    const database = openDatabase(server.url, { max: 10 });
    parts.push({ name: 'pool', stop: database.close });
    const applied = await migrate(database.sql);
    if (applied.length > 0) log.info('brought the schema up to date', { applied });

    const { db, sql } = database;
    const deps: Deps = { db, sql, now: () => new Date(), paths, settings, log };
    const listener = await listen(deps);
    parts.push({ name: 'listener', stop: async () => void (await listener.stop()) });
    return { url: listener.url, port: listener.port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Part = { readonly name: string; readonly stop: () => Promise<void> };

/** Last started, first stopped; one that fails does not keep the others running. */
async function stopParts(parts: Part[], log: Log): Promise<void> {
  for (let part = parts.pop(); part; part = parts.pop()) {
    await part.stop().catch((error: unknown) => log.error('did not stop', { part, error }));
  }
}

async function listen({ settings, log, ...rest }: Deps): Promise<Listener> {
  const app = createApp({ settings, log, ...rest });
  try {
    return await startListener({
      fetch: app.fetch,
      host: settings.host,
      port: settings.port,
      tls: readCertificate(settings),
      log,
      limits: { maxBodyBytes: settings.maxBodyBytes },
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = REASONS.get(code ?? '');
    if (!reason) throw error;
    throw new Failure(`Cannot listen on ${settings.host} port ${settings.port}: ${reason}`, {
      cause: error,
    });
  }
}

const REASONS = new Map([
  ['EADDRINUSE', 'another program does already. Choose another with --port.'],
  ['EACCES', 'only root may take a port below 1024. Choose another with --port.'],
  ['EADDRNOTAVAIL', 'this machine does not have that address. Choose another with --host.'],
]);

function readCertificate({ tlsCert, tlsKey }: Settings) {
  if (!tlsCert || !tlsKey) return undefined;
  try {
    return { cert: readFileSync(tlsCert, 'utf8'), key: readFileSync(tlsKey, 'utf8') };
  } catch (error) {
    throw new Failure(`The certificate cannot be read: ${(error as Error).message}`);
  }
}
