import { type Log, REQUEST } from '../core/log.ts';
import { isProbe } from './probes.ts';
import { type Exchange, hasBody } from './exchange.ts';

/** Milliseconds from the end of a request to the begin of its answer after which it is called slow. */
const SLOW_MS = 1000;

/**
 * Logs a request that was answered: for debugging, or above when it was slow or failed. A status of 503 is a
 * refusal that its sender repeats: in maintenance mode there are many. To a probe it is an answer like any other.
 */
export function logRequest(log: Log, exchange: Exchange, status: number, bytes: number): void {
  const { incoming, dropped, startedAt } = exchange;
  const fields = {
    method: incoming.method,
    path: toLoggedPath(incoming.url),
    status,
    ms: Math.round((performance.now() - startedAt) * 10) / 10,
    bytes,
    ...(dropped ? { dropped } : {}),
  };
  const workMs = getWorkMs(exchange);
  if (status >= 500 && status !== 503) log.error('request ended with a server error', fields);
  else if (status === 503 && !isProbe(fields.path))
    log.warn('request refused: not available', fields);
  else if (workMs > SLOW_MS) log.warn('slow request', { ...fields, workMs: Math.round(workMs) });
  else log.debug(REQUEST, fields);
}

/**
 * Returns the time that the server took, in ms: from the last byte of the request to the answer. The rest, as the
 * time of an upload, a download or a stream, is up to the client. A body that was not read to its end took none.
 */
function getWorkMs({ incoming, startedAt, receivedAt, answeredAt }: Exchange): number {
  if (answeredAt === undefined) return 0;
  const since = hasBody(incoming) ? receivedAt : startedAt;
  return since === undefined ? 0 : answeredAt - since;
}

/** Returns the path of a URL, or of the target of a request, without the query, which may contain keys, and without share keys. */
export const toLoggedPath = (url = '/'): string =>
  url
    .replace(/^[a-z]+:\/\/[^/?]*/i, '')
    .replace(/\?.*$/s, '')
    .replace(/^\/(share|s)\/[^/]+/, '/$1/…');
