import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Deps } from '../core/context.ts';
import { unavailable } from '../core/errors.ts';
import { findExchange } from '../http/exchange.ts';
import { errorBody } from '../http/error-body.ts';
import { getClientOrigin, isForwarded, setForwardedOrigin } from '../http/forwarded.ts';
import { getTransfer } from '../http/transfer.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import { HOP_HEADER, signHop, verifyHop } from './hop.ts';
import { findKnownServer, type Server } from './servers.ts';

// A request is sent to the server that holds what it is about, over one hop. The other server checks the credentials of
// its sender again.

type Fetch = (request: Request) => Response | Promise<Response>;

/** Serves also the requests of other servers, for their clients. */
export const acceptForwarded =
  (deps: Deps, fetch: Fetch): Fetch =>
  (request) =>
    request.headers.has(HOP_HEADER) ? fetchForwarded(deps, fetch, request) : fetch(request);

async function fetchForwarded(deps: Deps, fetch: Fetch, request: Request): Promise<Response> {
  const hop = await verifyHop(deps, request, request.headers.get(HOP_HEADER) ?? '');
  // A former process of this address was meant, or nobody: it must not be sent on again.
  if (hop?.to !== NODE_ID)
    return Response.json(errorBody(request, 421, 'Misdirected request'), { status: 421 });
  setForwardedOrigin(request, hop.origin);
  return fetch(request);
}

/** Headers that are about one connection (RFC 9110 §7.6.1). */
const OF_CONNECTION = new Set([
  'connection',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Headers of a response that this server sets itself. */
const OWN_HEADERS = new Set(['date', 'strict-transport-security', 'x-correlation-id']);

const CHECK_MS = 1000;
/** A server that lives takes less than this for an answer, in ms. */
const ANSWER_MS = 120_000;

/**
 * Returns the answer of another server to a request. `body` is sent where the body of the request was read. Returns 503
 * when the server cannot be reached, is lost before it answers, or the request was sent on already.
 */
export async function forward(
  deps: Deps,
  request: Request,
  server: Server | undefined,
  body?: unknown,
): Promise<Response> {
  const exchange = findExchange(request);
  if (!server || !exchange || isForwarded(request)) return refuse(request);
  try {
    return await sendOn(
      deps,
      request,
      server,
      body === undefined ? undefined : JSON.stringify(body),
    );
  } catch (error) {
    const { address } = server;
    if (!exchange.dropped)
      deps.log.warn('a request could not be sent to another server', { address, error });
    // The other server has ended the transfer, which the client would see if it were connected to that.
    if (body === undefined && request.body !== null && isCut(error))
      exchange.incoming.socket.destroy();
    return refuse(request);
  }
}

async function sendOn(
  deps: Deps,
  request: Request,
  server: Server,
  text: string | undefined,
): Promise<Response> {
  const outgoing = await openRequest(deps, request, server, text);
  const cut = () => outgoing.destroy();
  request.signal.addEventListener('abort', cut);
  const watch = watchAnswer(deps, server, cut);
  outgoing.on('close', watch.stop);
  outgoing.on('information', ({ statusCode, headers }) => {
    if (statusCode === 104) getTransfer(request).inform(headers as Record<string, string>);
  });
  try {
    const answering = once(outgoing, 'response') as Promise<[IncomingMessage]>;
    // A later error reaches the reader of the answer's body.
    outgoing.on('error', () => {});
    if (text === undefined && request.body) void sendBody(request.body, outgoing, watch.postpone);
    else outgoing.end(text);
    const [answer] = await answering;
    answer.on('data', watch.postpone).on('close', watch.stop).pause();
    if (answer.statusCode === 421) throw new Error('The address leads to another process');
    return toResponse(request, answer, outgoing);
  } catch (error) {
    watch.stop();
    outgoing.destroy();
    throw error;
  }
}

const RETRY_SECONDS = 5;

/** The server may be back in a moment, or is given up then. */
function refuse(request: Request): Response {
  const error = unavailable('The server that holds this cannot be reached', RETRY_SECONDS);
  const { status, message, code, headers } = error;
  return Response.json(errorBody(request, status, message, {}, code), { status, headers });
}

const isCut = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

async function openRequest(
  deps: Deps,
  request: Request,
  { id, address }: Server,
  text: string | undefined,
): Promise<ClientRequest> {
  const { method, url, headers } = request;
  const origin = getClientOrigin(request, deps.settings);
  const own = [...headers].filter(([name]) => !OF_CONNECTION.has(name));
  const { protocol, hostname, port } = new URL(address);
  const { pathname, search } = new URL(url);
  return (protocol === 'https:' ? requestHttps : requestHttp)({
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: port || undefined,
    method,
    path: `${pathname}${search}`,
    agent: false,
    headers: {
      ...Object.fromEntries(own),
      [HOP_HEADER]: await signHop(deps, request, { to: id, origin }),
      connection: 'close',
      ...(text !== undefined && { 'content-length': String(Buffer.byteLength(text)) }),
    },
  });
}

type AnswerWatch = { readonly postpone: () => void; readonly stop: () => void };

/** Calls `giveUp` when the server is lost, or takes too long. `postpone`: it takes what is sent. */
function watchAnswer(deps: Pick<Deps, 'sql'>, server: Server, giveUp: () => void): AnswerWatch {
  let since = performance.now();
  const isKnown = () => findKnownServer(deps, ({ id }) => id === server.id) !== undefined;
  // The next heartbeat tells of a server that has just been started.
  let wasKnown = isKnown();
  const timer = setInterval(() => {
    const isLost = wasKnown && !isKnown();
    wasKnown ||= isKnown();
    if (isLost || performance.now() - since > ANSWER_MS) giveUp();
  }, CHECK_MS);
  return {
    postpone: () => void (since = performance.now()),
    stop: () => clearInterval(timer),
  };
}

/** Ends the connection when the body does not come whole. */
async function sendBody(
  body: ReadableStream<Uint8Array>,
  outgoing: ClientRequest,
  onProgress: () => void,
): Promise<void> {
  const reader = body.getReader();
  const ended = new AbortController();
  const { signal } = ended;
  outgoing.once('close', () => ended.abort());
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (!outgoing.write(next.value)) await once(outgoing, 'drain', { signal });
      onProgress();
    }
    outgoing.end();
  } catch {
    outgoing.destroy();
    await reader.cancel().catch(() => {});
  }
}

const WITHOUT_BODY = new Set([204, 304]);

function toResponse(request: Request, answer: IncomingMessage, outgoing: ClientRequest): Response {
  const { statusCode: status = 502, rawHeaders } = answer;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (!OF_CONNECTION.has(lower) && !OWN_HEADERS.has(lower)) headers.append(name, value);
  }
  if (request.method === 'HEAD' || WITHOUT_BODY.has(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  return new Response(toStream(answer, outgoing), { status, headers });
}

const HIGH_WATER_BYTES = 256 * 1024;

/** Returns the body, which is read as fast as it is taken. */
const toStream = (answer: IncomingMessage, outgoing: ClientRequest) =>
  new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let isOver = false;
        const finish = (error?: Error) => {
          if (isOver) return;
          isOver = true;
          if (error) controller.error(error);
          else controller.close();
        };
        answer.on('data', (chunk: Uint8Array) => {
          if (isOver) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) answer.pause();
        });
        answer.on('end', () => finish());
        answer.on('error', finish);
        answer.on('close', () => finish(new Error('The connection to another server was lost')));
      },
      pull: () => void answer.resume(),
      cancel: () => void outgoing.destroy(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER_BYTES }),
  );
