import type { Server } from 'node:http';

/** How long a client may take to use a connection that it believes to be open, in ms. */
const SETTLE_MS = 500;
const POLL_MS = 20;

/**
 * Ends the server and drops no request: new connections are refused at once, open ones are served
 * until each has been told to close, those without traffic are closed when nothing runs any more.
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
    // close() waits for connections that became idle after it was called: keep sweeping.
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
    // After the acceptor has ended with no connection left, close() has nothing to report.
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
 * close() would also cut idle connections, and with them the request that a client is sending
 * right now. Bun's server object below node:http can stop to accept alone; where it cannot be
 * found, connections are accepted until the end. Resolves when the last connection is closed.
 */
function refuseConnections(server: Server): Promise<unknown> | undefined {
  const slots = server as unknown as Record<symbol, unknown>;
  const acceptor = Object.getOwnPropertySymbols(server)
    .map((symbol) => slots[symbol])
    .find(isAcceptor);
  return acceptor?.stop();
}
