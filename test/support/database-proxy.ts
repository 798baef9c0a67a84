import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, createConnection, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, socketUrl } from '../../src/db/address.ts';
import { toDatabaseUrl } from './harness.ts';

/** Stands between a pool and the real server, and breaks connections at chosen moments. */
export type DatabaseProxy = {
  readonly url: string;
  /** Ends every connection at once, as a server does that dies. */
  cut(): void;
  /** Ends the next connection that is made, once the server has sent so many bytes to it. */
  cutNextAfter(bytes: number): void;
  /** Passes nothing on, as a server that hangs or is behind a broken line. Ends with the returned call. */
  hang(): () => void;
  /** Refuses connections, as a server that does not run. */
  close(): Promise<void>;
  open(): Promise<void>;
  /** Number of connections so far. */
  readonly count: () => number;
  stop(): Promise<void>;
};

/** For a database of the tests' server, or the one of this name at another address. */
export async function startDatabaseProxy(
  database: string,
  address = toDatabaseUrl(database),
): Promise<DatabaseProxy> {
  const { options } = connect(address) as unknown as { options: ServerAddress };
  const folder = mkdtempSync(join(tmpdir(), 'database-proxy-'));
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let limits: number[] = [];
  let isHanging = false;
  let count = 0;

  function accept(client: Socket): void {
    count += 1;
    const limit = limits.shift();
    const upstream = options.path
      ? createConnection(options.path)
      : createConnection(options.port[0]!, options.host[0]!);
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    let seen = 0;
    upstream.on('data', (bytes) => {
      if (isHanging) return;
      const rest = (limit ?? Infinity) - seen;
      seen += bytes.length;
      if (rest > bytes.length) client.write(bytes);
      else client.end(bytes.subarray(0, rest));
    });
    client.on('data', (bytes) => {
      if (!isHanging) upstream.write(bytes);
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
  }

  const proxy: DatabaseProxy = {
    url: socketUrl(folder, options.user, database),
    cut() {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    hang() {
      isHanging = true;
      return () => {
        isHanging = false;
      };
    },
    cutNextAfter: (bytes) => void limits.push(bytes),
    async close() {
      const closed = server && new Promise((resolve) => server!.close(resolve));
      server = undefined;
      proxy.cut();
      await closed;
    },
    open: () =>
      new Promise((resolve) => {
        server = createServer(accept).listen(join(folder, '.s.PGSQL.5432'), resolve);
      }),
    count: () => count,
    async stop() {
      await proxy.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await proxy.open();
  return proxy;
}

type ServerAddress = {
  readonly path: string | false;
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly user: string;
};
