import { io, type Socket } from 'socket.io-client';
import { silentLog } from '../../src/core/log.ts';
import { announce } from '../../src/events/announce.ts';
import { findAssetsById } from '../../src/areas/assets/index.ts';
import { readOwnViews } from '../../src/areas/sync/index.ts';
import { createLive } from '../../src/events/live.ts';
import { startListener } from '../../src/http/listener.ts';
import { testApp, type TestDatabase, type TestUser } from './harness.ts';
import type { Json } from './json.ts';

export type ConnectOptions = {
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly transports?: string[];
  /** Whether it connects again by itself, as the clients of Immich do. */
  readonly reconnects?: boolean;
};
export type Event = [string, ...Json[]];
/** `until` waits for an event of this name, and takes it and everything before it. */
export type Client = {
  readonly socket: Socket;
  readonly until: (name: string) => Promise<Event[]>;
};

export const withBearer = ({ token }: TestUser): ConnectOptions => ({
  headers: { authorization: `Bearer ${token}` },
});

/** A listener with live events, and real clients of socket.io that connect to it. */
export async function startLiveServer(database: TestDatabase) {
  const live = createLive(database.deps, { findAssetsById, readOwnViews });
  const app = testApp(database);
  const listener = await startListener({
    fetch: (request) => app.fetch(request),
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
    upgrade: live.upgrade,
  });
  const open: Socket[] = [];

  async function connect(way: ConnectOptions) {
    const client = openClient(listener.url, way);
    open.push(client.socket);
    await client.connected;
    await client.until('on_server_version');
    return client;
  }

  return {
    app,
    url: listener.url,
    connect,
    /** Returns what a client is told whose connection the server ends, and how it ends. */
    async knock(way: ConnectOptions): Promise<{ events: Event[]; reason: string }> {
      const { socket, until } = openClient(listener.url, way);
      const left = new Promise<string>((resolve) => socket.on('disconnect', resolve));
      return { events: await until('error'), reason: await left };
    },
    /** Ends the connections as before maintenance mode. */
    enterMaintenance: () => live.stop({ isMaintenanceMode: true }),
    /** Returns the events that each client received before a broadcast event, which ends the wait. */
    async received(...clients: Client[]): Promise<Event[][]> {
      await announce(database.db, { event: 'config' });
      return Promise.all(
        clients.map(async ({ until }) => (await until('on_config_update')).slice(0, -1)),
      );
    },
    hangUp() {
      for (const socket of open.splice(0)) socket.disconnect();
    },
    async stop(): Promise<string> {
      await live.stop();
      return listener.stop(2000);
    },
  };
}

/** A client of socket.io; `connected` rejects when it is refused. */
export function openClient(
  url: string,
  { headers = {}, query = {}, transports = ['websocket'], reconnects = false }: ConnectOptions,
): Client & { readonly connected: Promise<void> } {
  const socket = io(url, {
    path: '/api/socket.io',
    transports,
    extraHeaders: headers,
    query,
    forceNew: true,
    reconnection: reconnects,
    reconnectionDelay: 100,
    reconnectionDelayMax: 500,
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // A caller that does not wait for it may be refused.
  promise.catch(() => {});
  socket.on('connect', resolve);
  socket.on('connect_error', reject);
  return { ...listenTo(socket), connected: promise };
}

/** Keeps every event as [name, ...arguments]. */
function listenTo(socket: Socket): Client {
  const events: Event[] = [];
  let wake = () => {};
  socket.onAny((...event: Event) => {
    events.push(event);
    wake();
  });
  socket.on('disconnect', () => wake());
  return {
    socket,
    async until(name) {
      for (;;) {
        const at = events.findIndex((event) => event[0] === name);
        if (at >= 0) return events.splice(0, at + 1);
        const waiting = Promise.withResolvers<void>();
        wake = waiting.resolve;
        await waiting.promise;
      }
    },
  };
}
