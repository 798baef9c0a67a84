import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createAuthenticate } from '../access/authenticate.ts';
import { isFromOtherSite } from '../access/credentials.ts';
import { hasPermission } from '../access/permissions.ts';
import type { UserSession } from '../access/session.ts';
import type { Deps } from '../core/context.ts';
import { AppError, databaseUnavailable, forbidden, notFound } from '../core/errors.ts';
import { isServerFault } from '../db/errors.ts';
import { readClientOrigin } from '../http/forwarded.ts';
import { getPeer, isLivePath, refuse, toHeaders } from './handshake.ts';
import type { ChangeReaders } from './messages.ts';
import type { Restart } from './socket-server.ts';
import type { Sockets } from './sockets.ts';

/** Live events for connected clients, at /api/socket.io. */
export type Live = {
  /** For the listener: a client asks for a WebSocket. */
  readonly upgrade: (incoming: IncomingMessage, socket: Socket, head: Buffer) => void;
  /** Returns the number of clients that are connected to this process. */
  countClients(): Promise<number>;
  /** Tells clients first that the server which they find next is another, if it is. */
  stop(restart?: Restart): Promise<void>;
};

/** Authenticates a connection; called again as long as it lasts. */
export type Identify = (incoming: IncomingMessage) => Promise<UserSession>;

export function createLive(deps: Deps, readers: ChangeReaders): Live {
  const identify = createIdentify(deps);
  let sockets: Promise<Sockets> | undefined;
  let isStopping = false;

  // Loaded for the first client: servers without such clients save the memory.
  const load = () => {
    sockets ??= import('./sockets.ts')
      .then(({ openSockets }) => openSockets(deps, { identify, readers }, randomUUID()))
      .catch((error: unknown) => {
        // The next client tries again.
        sockets = undefined;
        throw error;
      });
    return sockets;
  };

  return {
    upgrade(incoming, socket, head) {
      socket.on('error', () => socket.destroy());
      const accept = async () => {
        if (isStopping || !isLivePath(incoming.url)) throw notFound('Page');
        const session = await identify(incoming).catch(toStranger);
        await (await load()).accept(incoming, socket, head, session);
      };
      accept().catch((error: unknown) => {
        const isKnown = error instanceof AppError;
        if (!isKnown) deps.log.error('WebSocket connection failed', { error });
        refuse(socket, isServerFault(error) ? databaseUnavailable() : error);
      });
    },
    countClients: async () => (await sockets?.catch(() => undefined))?.count() ?? 0,
    async stop(restart) {
      isStopping = true;
      await (await sockets?.catch(() => undefined))?.close(restart);
    },
  };
}

/** A client without a valid credential is connected, and told so. Throws any other error. */
function toStranger(error: unknown): undefined {
  if (!(error instanceof AppError) || ![401, 403].includes(error.status)) throw error;
  return undefined;
}

function createIdentify(deps: Deps): Identify {
  const authenticate = createAuthenticate(deps);
  return async (incoming) => {
    const headers = toHeaders(incoming);
    const caller = readClientOrigin(getPeer(incoming), headers, deps.settings, false);
    // A page of another site may open a WebSocket to us, and its browser adds our cookie: not counted.
    if (isFromOtherSite(headers, caller.host)) headers.delete('cookie');
    const request = new Request(new URL(incoming.url ?? '/', 'http://localhost'), { headers });
    const session = await authenticate(request, deps.now(), { ...caller, background: true });
    // Events show assets, so they need what reading them needs.
    if (session.kind !== 'user' || !hasPermission(session.permissions, 'asset.read')) {
      throw forbidden('Forbidden');
    }
    return session;
  };
}
