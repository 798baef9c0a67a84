import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { withCorrelationId } from '../core/correlation.ts';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { isPubliclyTrusted } from './certificate.ts';
import { createExchange, createRequest, type Exchange, getHost } from './exchange.ts';
import { errorResponse, getErrorStatus, getReason } from './failed-response.ts';
import { getPort, replaceListeningSocket } from './listening-socket.ts';
import { logRequest, toLoggedPath } from './request-log.ts';
import { FileUnavailable, sendResponse } from './send.ts';
import { watchStalls } from './stalls.ts';
import { stopServer } from './stop.ts';

export { findClientAddress, sendInformational } from './exchange.ts';

export type ListenerLimits = {
  /** Time for the whole head of a request, in ms. */
  readonly headersTimeoutMs: number;
  /** Time after which an idle connection is closed, in ms. */
  readonly keepAliveMs: number;
  /** Time that a client may stall while it should send or take bytes, in ms. */
  readonly idleTimeoutMs: number;
  /** Maximum length of a body that is not an upload (JSON, form fields, text), in bytes. */
  readonly maxBodyBytes: number;
};

const DEFAULT_LIMITS: ListenerLimits = {
  headersTimeoutMs: 30_000,
  keepAliveMs: 65_000,
  idleTimeoutMs: 120_000,
  maxBodyBytes: 10 * 1024 * 1024,
};

const GRACE_MS = 10_000;

export type ListenerOptions = {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** A socket that listens on host and port already: connections are accepted from it. */
  readonly socket?: number | undefined;
  /** PEM texts. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly log: Log;
  /** Called when a response was sent. */
  readonly onResponse?: ((exchange: Exchange, status: number) => void) | undefined;
  readonly limits?: Partial<ListenerLimits> | undefined;
  /** Handles upgrade requests (WebSocket); without it they are refused. */
  readonly upgrade?:
    ((incoming: IncomingMessage, socket: Socket, head: Buffer) => void) | undefined;
};

export type Listener = {
  readonly url: string;
  readonly port: number;
  /**
   * Resolves when the requests of this moment have ended, while new ones are served. After `graceMs` the
   * connections of the others are closed.
   */
  drain(graceMs?: number): Promise<void>;
  /** Returns 'forced' when requests were still running after `graceMs`. */
  stop(graceMs?: number): Promise<'clean' | 'forced'>;
};

/** Starts the public listener, on node:http because Bun.serve cannot send interim responses. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const serve = createHandler(options, limits);
  const settings = {
    // Uploads may take long; the stall watch ends those that stand still.
    requestTimeout: 0,
    headersTimeout: limits.headersTimeoutMs,
    // Large enough for the file metadata in the head of an upload.
    maxHeaderSize: 64 * 1024,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.max(50, Math.min(5000, limits.headersTimeoutMs / 4)),
  };
  const server: Server = options.tls
    ? createTlsServer({ ...settings, ...options.tls })
    : createServer(settings);
  server.on('request', (incoming, outgoing) => void serve.handle(incoming, outgoing, false));
  server.on('checkContinue', (incoming, outgoing) => void serve.handle(incoming, outgoing, true));
  if (options.upgrade) {
    const { upgrade } = options;
    server.on('upgrade', (incoming, socket, head) => {
      if (hasHost(incoming)) upgrade(incoming, socket as Socket, head);
      else socket.end(formatRawError('400 Bad Request'));
    });
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else socket.end(formatRawError(CLIENT_ERRORS.get(error.code ?? '') ?? '400 Bad Request'));
  });
  const { socket } = options;
  const isOpen = socket !== undefined;
  await listen(server, isOpen ? { host: '127.0.0.1', port: 0 } : options);
  const { port: own } = server.address() as AddressInfo;
  if (isOpen) replaceListeningSocket(own, socket);
  const port = isOpen ? getPort(socket) : own;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  const named = ['0.0.0.0', '[::]'].includes(host) ? 'localhost' : host;
  return {
    url: `${options.tls ? 'https' : 'http'}://${named}:${port}`,
    port,
    drain: (graceMs = GRACE_MS) => serve.drain(graceMs),
    async stop(graceMs = GRACE_MS) {
      serve.close();
      return stopServer(server, serve.running, graceMs);
    },
  };
}

function hasHost(incoming: IncomingMessage): boolean {
  try {
    return getHost(incoming) !== '';
  } catch {
    return false;
  }
}

const listen = (server: Server, { host, port }: Pick<ListenerOptions, 'host' | 'port'>) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

const CLIENT_ERRORS: ReadonlyMap<string, string> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
]);

/** Returns a raw response for bytes that are no HTTP request. */
function formatRawError(status: string): string {
  const body = JSON.stringify({ message: status.slice(4) });
  return (
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n` +
    `x-content-type-options: nosniff\r\ncache-control: no-store\r\nx-correlation-id: ${randomUUID()}\r\nconnection: close\r\n\r\n${body}`
  );
}

const HTTPS_PORT = 443;

function createHandler(options: ListenerOptions, limits: ListenerLimits) {
  const { fetch, port, tls, log, onResponse } = options;
  const scheme = tls ? 'https' : 'http';
  // The promise is about all ports of a name: of others, only a server on the standard port may speak for them.
  const strictTransport = port === HTTPS_PORT && tls !== undefined && isPubliclyTrusted(tls.cert);
  const stalls = watchStalls(limits.idleTimeoutMs);
  let closing = false;
  const running = new Map<Exchange, Promise<void>>();

  const answer = async (exchange: Exchange): Promise<{ status: number; bytes: number }> => {
    const { incoming, outgoing } = exchange;
    const wait = stalls.watch(() => incoming.socket.destroy());
    const send = async (response: Response) => ({
      status: response.status,
      bytes: await sendResponse(exchange, response, { closing, wait, strictTransport }),
    });
    try {
      if (isTooLong(exchange)) return await send(errorResponse(exchange, 413));
      let request: Request;
      try {
        request = createRequest(exchange, scheme, wait);
      } catch {
        return await send(errorResponse(exchange, 400));
      }
      const respond = async () => {
        const made = fetch(request);
        const response = made instanceof Promise ? await made : made;
        exchange.answeredAt = performance.now();
        return exchange.tooLarge ? errorResponse(exchange, 413) : response;
      };
      const response = await respond();
      // A file may be replaced after the database named it: then it names another one now.
      return await send(response).catch(async (error: unknown) => {
        if (!(error instanceof FileUnavailable) || incoming.method !== 'GET') throw error;
        return send(await respond());
      });
    } catch (error) {
      if (error instanceof FileUnavailable) error.onGone?.();
      const status = exchange.tooLarge ? 413 : getErrorStatus(error);
      if (!exchange.dropped && status !== 413) {
        const { method } = incoming;
        // A stream that ends because the caller may not have the rest is no fault.
        const level = error instanceof AppError ? 'info' : 'error';
        log[level]('request failed', { method, path: toLoggedPath(incoming.url), error });
      }
      if (!outgoing.headersSent) return send(errorResponse(exchange, status, getReason(error)));
      // The length is announced: only a cut connection tells the client that bytes are missing.
      incoming.socket.destroy();
      return { status, bytes: 0 };
    } finally {
      wait.end();
    }
  };

  const complete = async (exchange: Exchange): Promise<void> => {
    const { incoming } = exchange;
    try {
      const { status, bytes } = await answer(exchange);
      logRequest(log, exchange, status, bytes);
      onResponse?.(exchange, status);
    } catch (error) {
      log.error('response failed', { error });
      incoming.socket.destroy();
    }
  };

  return {
    running: () => running.size,
    close() {
      closing = true;
    },
    async drain(graceMs: number) {
      const ended = Promise.all(running.values());
      const exchanges = [...running.keys()];
      const cut = setTimeout(() => {
        for (const exchange of exchanges) {
          if (running.has(exchange)) exchange.incoming.socket.destroy();
        }
      }, graceMs);
      await ended;
      clearTimeout(cut);
    },
    async handle(incoming: IncomingMessage, outgoing: ServerResponse, awaitsContinue: boolean) {
      const exchange = createExchange(incoming, outgoing, {
        awaitsContinue,
        maxBodyBytes: limits.maxBodyBytes,
      });
      const completed = withCorrelationId(exchange.correlationId, () => complete(exchange));
      running.set(exchange, completed);
      await completed;
      running.delete(exchange);
    },
  };
}

const isTooLong = ({ incoming, maxBodyBytes }: Exchange): boolean =>
  Number(incoming.headers['content-length'] ?? 0) > maxBodyBytes;
