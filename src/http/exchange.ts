import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requireValue } from '../core/required.ts';
import type { StallTimer } from './stalls.ts';

/** A request on the wire and its response. */
export type Exchange = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** In the log and in `X-Correlation-ID`. */
  readonly correlationId: string;
  /** Arrival of the request head, in ms of `performance.now()`. */
  readonly startedAt: number;
  /** Arrival of the last byte of the body, in ms of `performance.now()`; undefined: there is none, or not all was read. */
  receivedAt: number | undefined;
  /** When the answer was there, before it is sent, in ms of `performance.now()`. */
  answeredAt: number | undefined;
  /** Maximum length of the request body, in bytes. */
  readonly maxBodyBytes: number;
  /** The client waits for `100 Continue` before it sends the body. */
  awaitsContinue: boolean;
  /** The body exceeded `maxBodyBytes`. */
  tooLarge: boolean;
  /** The response is complete: what still comes of the body is for nobody. */
  ended: boolean;
  /** The connection closed before the response was complete. */
  dropped: boolean;
  abort: AbortController | undefined;
};

export function createExchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { awaitsContinue, maxBodyBytes }: Pick<Exchange, 'awaitsContinue' | 'maxBodyBytes'>,
): Exchange {
  const exchange: Exchange = {
    incoming,
    outgoing,
    correlationId: readCorrelationId(incoming),
    startedAt: performance.now(),
    receivedAt: undefined,
    answeredAt: undefined,
    maxBodyBytes: isUpload(incoming) ? Infinity : maxBodyBytes,
    awaitsContinue,
    tooLarge: false,
    ended: false,
    dropped: false,
    abort: undefined,
  };
  outgoing.on('close', () => {
    if (outgoing.writableFinished) return;
    exchange.dropped = true;
    exchange.abort?.abort();
  });
  return exchange;
}

const CORRELATION_ID = /^[\w.:-]{8,128}$/;

function readCorrelationId({ headers }: IncomingMessage): string {
  const given = headers['x-correlation-id'];
  return typeof given === 'string' && CORRELATION_ID.test(given) ? given : randomUUID();
}

/** Types that are read into memory. Uploads are streamed to disk and have their own limits. */
const BUFFERED_TYPES =
  /^(?:application\/(?:[\w.-]+\+)?json|application\/x-www-form-urlencoded|text\/)/i;

const isUpload = ({ headers }: IncomingMessage): boolean =>
  !BUFFERED_TYPES.test(headers['content-type'] ?? '');

const EXCHANGE = Symbol('exchange');

type ListenerRequest = Request & { [EXCHANGE]?: Exchange };

/**
 * Prototype of the listener's requests. Creates the abort signal on first use: one per request would cost
 * a tenth of the throughput.
 */
const listenerRequestPrototype: Request = Object.create(Request.prototype, {
  signal: {
    get(this: ListenerRequest): AbortSignal {
      const exchange = requireValue(this[EXCHANGE], 'exchange of a request');
      if (exchange.abort === undefined) {
        exchange.abort = new AbortController();
        if (exchange.dropped) exchange.abort.abort();
      }
      return exchange.abort.signal;
    },
  },
});

/** Returns the Request of an exchange. Throws for an invalid request target or Host header. */
export function createRequest(
  exchange: Exchange,
  scheme: 'http' | 'https',
  wait: StallTimer,
): Request {
  const { incoming } = exchange;
  const { rawHeaders, method = 'GET' } = incoming;
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    const value = rawHeaders[i + 1];
    if (name !== undefined && value !== undefined) headers.append(name, value);
  }
  const target = `${scheme}://${getHost(incoming)}${getPath(incoming)}`;
  const init: RequestInit = { method, headers };
  if (hasBody(incoming)) {
    init.body = createBodyStream(exchange, wait);
    Object.assign(init, { duplex: 'half' });
  }
  const request: ListenerRequest = new Request(target, init);
  Object.setPrototypeOf(request, listenerRequestPrototype);
  request[EXCHANGE] = exchange;
  return request;
}

/**
 * Returns a HEAD request as one of the method GET, for a framework that would read the whole body of the answer and
 * tell what it has read as the length. `isHead` still knows it.
 */
export function toGet(request: Request): Request {
  const get: ListenerRequest = new Request(request.url, { headers: request.headers });
  const exchange = findExchange(request);
  if (exchange === undefined) return get;
  Object.setPrototypeOf(get, listenerRequestPrototype);
  get[EXCHANGE] = exchange;
  return get;
}

/** Whether only the head of the answer is sent. */
export const isHead = (request: Request): boolean =>
  request.method === 'HEAD' || findExchange(request)?.incoming.method === 'HEAD';

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Returns the Host header (RFC 9112 §3.2). Throws unless there is exactly one valid; HTTP/1.0 may have none. */
export function getHost({ rawHeaders, httpVersion }: IncomingMessage): string {
  const hosts = rawHeaders.filter(
    (_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host',
  );
  if (hosts.length === 0 && httpVersion === '1.0') return 'localhost';
  const [host] = hosts;
  if (host === undefined || hosts.length > 1 || !HOST.test(host)) {
    throw new Error('A request needs exactly one valid Host header');
  }
  return host;
}

/**
 * Returns the path and query of the request target. Throws for an absolute form that names another host
 * than the Host header, which a proxy could read differently (request smuggling).
 */
function getPath(incoming: IncomingMessage): string {
  const { url = '/' } = incoming;
  if (url.startsWith('/')) return url;
  if (url === '*') return '/*';
  const absolute = /^https?:\/\/([^/?#]*)([/?].*)?$/is.exec(url);
  if (absolute?.[1]?.toLowerCase() !== getHost(incoming).toLowerCase()) {
    throw new Error('The target of the request names another host');
  }
  const path = absolute[2] ?? '/';
  return path.startsWith('/') ? path : `/${path}`;
}

export const hasBody = (incoming: IncomingMessage): boolean =>
  incoming.method !== 'GET' && incoming.method !== 'HEAD' && announcesBody(incoming);

export function announcesBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/** Buffered bytes above which the socket is paused. */
const HIGH_WATER_BYTES = 256 * 1024;

/** Returns the body with backpressure: reads nothing from the socket before the first pull. */
function createBodyStream(exchange: Exchange, wait: StallTimer): ReadableStream<Uint8Array> {
  const { incoming, outgoing } = exchange;
  let received = 0;
  let reading = false;
  let done = false;

  const listen = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const finish = (error?: Error) => {
      if (done) return;
      done = true;
      wait.end();
      if (error) controller.error(error);
      else controller.close();
    };
    incoming.on('data', (chunk: Uint8Array) => {
      if (done) return;
      if (exchange.ended) return finish(new Error('The request is answered'));
      received += chunk.length;
      if (received > exchange.maxBodyBytes) {
        exchange.tooLarge = true;
        return finish(new Error('The request body is too large'));
      }
      controller.enqueue(chunk);
      if ((controller.desiredSize ?? 0) > -HIGH_WATER_BYTES) return wait.begin();
      wait.end();
      incoming.pause();
    });
    incoming.on('end', () => {
      exchange.receivedAt = performance.now();
      finish();
    });
    incoming.on('error', (error) => finish(error));
    incoming.on('close', () => {
      finish(incoming.complete ? undefined : new Error('The client went away'));
    });
    if (exchange.dropped) finish(new Error('The client went away'));
  };

  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (done) return;
        if (exchange.awaitsContinue) {
          exchange.awaitsContinue = false;
          outgoing.writeContinue();
        }
        wait.begin();
        if (!reading) listen(controller);
        reading = true;
        incoming.resume();
      },
      cancel() {
        done = true;
        wait.end();
        incoming.resume();
      },
    },
    // Zero: the first pull is the first read, so no `100 Continue` is sent for a refused upload.
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
}

/** Returns undefined for a request that did not come through the listener. */
export const findExchange = (request: Request): Exchange | undefined =>
  (request as ListenerRequest)[EXCHANGE];

/** Returns the peer address of the connection: that of a proxy, if there is one. */
export function findClientAddress(request: Request): string | undefined {
  const address = findExchange(request)?.incoming.socket?.remoteAddress;
  return address?.startsWith('::ffff:') ? address.slice(7) : address;
}

/**
 * Sends an interim response (RFC 9110 §15.2). Returns false when that is not possible: the final response
 * has begun, the client speaks HTTP/1.0, or the request did not come through the listener.
 */
export function sendInformational(
  request: Request,
  status: number,
  headers: Readonly<Record<string, string>>,
): boolean {
  const exchange = findExchange(request);
  // HTTP/1.0 has no interim responses: the client would take it for the final one.
  if (!exchange || exchange.outgoing.headersSent || exchange.dropped) return false;
  if (exchange.incoming.httpVersion === '1.0') return false;
  exchange.outgoing.writeInformation(status, headers);
  return true;
}
