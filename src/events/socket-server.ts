import type { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import { Server as Engine } from 'engine.io';
import { Server } from 'socket.io';

/** Whether the server that clients find next is in maintenance mode: Immich's event `AppRestartV1`. */
export type Restart = { readonly isMaintenanceMode: boolean };

export type SocketServer = {
  readonly io: Server;
  handleUpgrade(incoming: IncomingMessage, socket: NetSocket, head: Buffer): void;
  /**
   * Closes the connections below socket.io: its clients connect again by themselves, which they do not when
   * they are disconnected by name.
   */
  hangUp(): Promise<void>;
  /** Tells of the restart first, if there is one. */
  close(restart?: Restart): Promise<void>;
};

/** Clients send nothing but heartbeats. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** Time for a client to join after the handshake, in ms. */
const JOIN_MS = 10_000;
/** Time for what was sent last to leave, in ms. */
const CLOSE_MS = 1000;

/** Serves socket.io over WebSockets, as Immich does: Engine.IO 4 without polling. */
export function createSocketServer(): SocketServer {
  const engine = new Engine({
    transports: ['websocket'],
    maxHttpBufferSize: MAX_MESSAGE_BYTES,
    pingInterval: 25_000,
    pingTimeout: 20_000,
  });
  const io = new Server({ serveClient: false, connectTimeout: JOIN_MS });
  io.bind(engine);

  async function hangUp(): Promise<void> {
    const closing = [...io.sockets.sockets.values()].map(({ conn }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      conn.once('close', () => resolve());
      // Safe: the types of socket.io do not tell that this sends what is queued first.
      conn.close();
      return promise;
    });
    const timer = Promise.withResolvers<void>();
    const timeout = setTimeout(timer.resolve, CLOSE_MS);
    await Promise.race([Promise.all(closing), timer.promise]);
    clearTimeout(timeout);
  }

  return {
    io,
    // Safe: engine.io types its own view of the request, which it completes itself.
    handleUpgrade: (incoming, socket, head) =>
      engine.handleUpgrade(incoming as never, socket, head),
    hangUp,
    async close(restart) {
      if (restart) io.emit('AppRestartV1', restart);
      await hangUp();
      engine.close();
    },
  };
}
