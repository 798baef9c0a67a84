const unanswered = new WeakSet<Request>();

/** Remembers that a request failed because a connection to the database did: nothing is wrong with it. */
export const markUnanswered = (request: Request): void => void unanswered.add(request);

/** A request that has failed after longer waited for a database that hangs: its client should not wait as long again. */
const MAX_RETRY_AFTER_MS = 3000;

type Fetch = (request: Request) => Response | Promise<Response>;

/**
 * Tries safe requests (RFC 9110 §9.2.1) once more whose connection to the database was lost: of a primary that was
 * replaced, or a session that was ended. The second try takes another connection.
 */
export const withRetriedReads =
  (fetch: Fetch): Fetch =>
  (request) =>
    request.method === 'GET' || request.method === 'HEAD'
      ? fetchTwice(fetch, request)
      : fetch(request);

async function fetchTwice(fetch: Fetch, request: Request): Promise<Response> {
  const begun = performance.now();
  const response = await fetch(request);
  return unanswered.delete(request) && performance.now() - begun < MAX_RETRY_AFTER_MS
    ? fetch(request)
    : response;
}
