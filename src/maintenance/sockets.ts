import type { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import type { Socket } from 'socket.io';
import { findCookie, isFromOtherSite } from '../access/credentials.ts';
import { AppError, notFound, tooManyRequests } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { DataPaths } from '../core/paths.ts';
import type { Settings } from '../core/settings.ts';
import { getPeer, isLivePath, refuse, toHeaders } from '../events/handshake.ts';
import type { Restart, SocketServer } from '../events/socket-server.ts';
import { readClientOrigin } from '../http/forwarded.ts';
import { isStaying } from './administrator.ts';
import { type MaintenanceStatus, toStatusResponse } from './status.ts';
import { MAINTENANCE_COOKIE } from './token.ts';

/** Live connections while maintenance mode is on: of everybody, who learn how far it is and when it ends. */
export type MaintenanceSockets = {
  readonly upgrade: (incoming: IncomingMessage, socket: NetSocket, head: Buffer) => void;
  /** Sends the status to all clients, if it is another than before. */
  tellStatus(): void;
  close(restart?: Restart): Promise<void>;
};

type Options = {
  readonly settings: Settings;
  readonly paths: DataPaths;
  readonly log: Log;
  readonly getStatus: () => MaintenanceStatus;
};

/** They need no account: this many are open together at most. */
const MAX_CONNECTIONS = 1000;
const RETRY_SECONDS = 60;

export function createMaintenanceSockets(options: Options): MaintenanceSockets {
  const { getStatus, log } = options;
  const open = new Set<NetSocket>();
  let server: Promise<SocketServer> | undefined;
  let told = '';
  let isClosed = false;

  const send = (socket: Socket) =>
    socket.emit('MaintenanceStatusV1', toStatusResponse(getStatus(), isKnown(socket.request)));

  /** The token of the handshake may have expired meanwhile. */
  const isKnown = (incoming: IncomingMessage): boolean => {
    const headers = toHeaders(incoming);
    const { host } = readClientOrigin(getPeer(incoming), headers, options.settings, false);
    // A page of another site may open a WebSocket to us, and its browser adds our cookie: not counted.
    if (isFromOtherSite(headers, host)) return false;
    const token = findCookie(new Request('http://localhost', { headers }), MAINTENANCE_COOKIE);
    return token !== undefined && isStaying(options, token);
  };

  // Loaded for the first client: the page of maintenance mode needs none.
  const load = () =>
    (server ??= import('../events/socket-server.ts').then(({ createSocketServer }) => {
      const created = createSocketServer();
      // It has missed what was told before it was connected.
      created.io.on('connection', send);
      return created;
    }));

  async function accept(incoming: IncomingMessage, socket: NetSocket, head: Buffer) {
    if (isClosed || !isLivePath(incoming.url)) throw notFound('Page');
    if (open.size >= MAX_CONNECTIONS) {
      throw tooManyRequests('There are too many live connections', RETRY_SECONDS);
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    (await load()).handleUpgrade(incoming, socket, head);
  }

  return {
    upgrade(incoming, socket, head) {
      socket.on('error', () => socket.destroy());
      accept(incoming, socket, head).catch((error: unknown) => {
        if (!(error instanceof AppError)) log.error('WebSocket connection failed', { error });
        refuse(socket, error);
      });
    },
    tellStatus() {
      const text = JSON.stringify(getStatus());
      if (text === told || isClosed) return;
      told = text;
      void server?.then(({ io }) => io.sockets.sockets.forEach(send));
    },
    async close(restart) {
      isClosed = true;
      await (await server)?.close(restart);
    },
  };
}
