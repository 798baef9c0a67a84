import type { Server } from 'node:http';

/** Time in ms for requests that clients are sending on open connections. */
const SETTLE_MS = 500;
const POLL_MS = 20;

/**
 * Stops the server without dropping requests: refuses new connections, lets running requests finish, then
 * closes idle connections. Returns 'forced' when requests were still running after `graceMs`.
 */
export async function stopServer(
  server: Server,
  running: () => number,
  graceMs: number,
): Promise<'clean' | 'forced'> {
  const deadline = performance.now() + graceMs;
  let ended = false;
  const emptied = refuseConnections(server)?.then(() => {
    ended = true;
  });
  let quietSince = performance.now();
  while (!ended && performance.now() - quietSince < Math.min(SETTLE_MS, graceMs)) {
    await Bun.sleep(POLL_MS);
    if (performance.now() > deadline) break;
    if (running() > 0) quietSince = performance.now();
  }
  return new Promise((resolve) => {
    // close() waits for connections that become idle later: keep closing those.
    const sweep = setInterval(() => server.closeIdleConnections(), POLL_MS);
    const cut = setTimeout(
      () => {
        server.closeAllConnections();
        finish('forced');
      },
      Math.max(POLL_MS, deadline - performance.now()),
    );
    const finish = (how: 'clean' | 'forced') => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve(how);
    };
    server.close(() => finish('clean'));
    // close() does not call back when the acceptor has ended without connections.
    void emptied?.then(() => finish('clean'));
  });
}

type Acceptor = { stop(): Promise<unknown> };

const isAcceptor = (value: unknown): value is Acceptor =>
  typeof value === 'object' &&
  value !== null &&
  'stop' in value &&
  typeof value.stop === 'function';

/**
 * Stops accepting connections only: close() would also cut idle connections and the requests that clients
 * are sending on them. Uses Bun's server object below node:http; returns undefined when it is not found.
 * Resolves when the last connection is closed.
 */
function refuseConnections(server: Server): Promise<unknown> | undefined {
  const slots = server as unknown as Record<symbol, unknown>;
  const acceptor = Object.getOwnPropertySymbols(server)
    .map((symbol) => slots[symbol])
    .find(isAcceptor);
  return acceptor?.stop();
}
