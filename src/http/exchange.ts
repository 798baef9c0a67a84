import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PeerWait } from './stalls.ts';

/** One request on the wire and its answer. */
export type Exchange = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly correlationId: string;
  /** When the head of the request had arrived, in ms of `performance.now()`. */
  readonly startedAt: number;
  /** Largest body that this request may have, in bytes. */
  readonly maxBodyBytes: number;
  /** The client waits for `100 Continue` before it sends the body. */
  awaitsContinue: boolean;
  /** The body went over `maxBodyBytes`. */
  tooLarge: boolean;
  /** The client went away before the answer was complete. */
  dropped: boolean;
  abort: AbortController | undefined;
};

const EXCHANGE = Symbol('exchange');

type Served = Request & { [EXCHANGE]?: Exchange };

/**
 * What a Request of the listener inherits from. The abort signal is made when it is first asked
 * for: one per request would cost a tenth of the throughput.
 */
const servedPrototype: Request = Object.create(Request.prototype, {
  signal: {
    get(this: Served): AbortSignal {
      const exchange = this[EXCHANGE]!;
      if (exchange.abort === undefined) {
        exchange.abort = new AbortController();
        if (exchange.dropped) exchange.abort.abort();
      }
      return exchange.abort.signal;
    },
  },
});

/** Throws when the target or the host of the request is not one. */
export function createRequest(
  exchange: Exchange,
  scheme: 'http' | 'https',
  wait: PeerWait,
): Request {
  const { incoming } = exchange;
  const { rawHeaders, method = 'GET' } = incoming;
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
  const target = `${scheme}://${hostOf(incoming)}${pathOf(incoming)}`;
  const init: RequestInit = { method, headers };
  if (hasBody(incoming)) {
    init.body = bodyOf(exchange, wait);
    Object.assign(init, { duplex: 'half' });
  }
  const request: Served = new Request(target, init);
  Object.setPrototypeOf(request, servedPrototype);
  request[EXCHANGE] = exchange;
  return request;
}

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** RFC 9112 §3.2: HTTP/1.1 has exactly one Host; HTTP/1.0 may have none. Throws otherwise. */
export function hostOf({ rawHeaders, httpVersion }: IncomingMessage): string {
  const hosts = rawHeaders.filter(
    (_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === 'host',
  );
  if (hosts.length === 0 && httpVersion === '1.0') return 'localhost';
  const [host] = hosts;
  if (host === undefined || hosts.length > 1 || !HOST.test(host)) {
    throw new Error('A request needs exactly one valid Host header');
  }
  return host;
}

/**
 * The path and query of the target. Proxies send it in the absolute form: where that names another host
 * than the header, the request is refused, so that two readers cannot take it for two requests.
 */
function pathOf(incoming: IncomingMessage): string {
  const { url = '/' } = incoming;
  if (url.startsWith('/')) return url;
  if (url === '*') return '/*';
  const absolute = /^https?:\/\/([^/?#]*)([/?].*)?$/is.exec(url);
  if (absolute?.[1]?.toLowerCase() !== hostOf(incoming).toLowerCase()) {
    throw new Error('The target of the request names another host');
  }
  const path = absolute[2] ?? '/';
  return path.startsWith('/') ? path : `/${path}`;
}

function hasBody({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/** Bytes that wait for the reader before the socket is paused. */
const HIGH_WATER_BYTES = 256 * 1024;

/** Nothing is read from the socket before the first pull, and never more than the reader takes. */
function bodyOf(exchange: Exchange, wait: PeerWait): ReadableStream<Uint8Array> {
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
    incoming.on('end', () => finish());
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
    // Zero: the first pull is the first read, so a refused upload is never asked for.
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
}

/** Undefined for a request that did not come through the listener. */
export const exchangeOf = (request: Request): Exchange | undefined => (request as Served)[EXCHANGE];

/** The id of this request in the log and in `X-Correlation-ID`; undefined outside the listener. */
export const correlationIdOf = (request: Request): string | undefined =>
  exchangeOf(request)?.correlationId;

/** The address at the other end of the connection; a proxy in front of us shows its own. */
export function clientAddress(request: Request): string | undefined {
  const address = exchangeOf(request)?.incoming.socket?.remoteAddress;
  return address?.startsWith('::ffff:') ? address.slice(7) : address;
}

/**
 * Sends an interim answer (RFC 9110 15.2), as 104 Upload Resumption Supported. False when that is
 * not possible: the final answer has begun, or the request did not come through the listener.
 */
export function informational(
  request: Request,
  status: number,
  headers: Readonly<Record<string, string>>,
): boolean {
  const exchange = exchangeOf(request);
  // HTTP/1.0 knows no interim answers: the client would take it for the final one.
  if (!exchange || exchange.outgoing.headersSent || exchange.dropped) return false;
  if (exchange.incoming.httpVersion === '1.0') return false;
  exchange.outgoing.writeInformation(status, headers);
  return true;
}
