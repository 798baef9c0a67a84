// Requests of the service worker to the server, with the session of the browser.

/** It can be done later: the server is away, or a lock is held. */
export class RetryLaterError extends Error {}

/** The server's answer is final. */
export class RefusedError extends Error {
  readonly status: number;
  /** The body of the answer. */
  readonly text: string;

  constructor(status: number, text: string) {
    super(`refused with ${status}`);
    this.status = status;
    this.text = text;
  }
}

const SIGNED_OUT = 401;
const MOST_TEXT = 4000;

/** Statuses of a server that is busy, starts again or stands behind a proxy. */
export const isTransient = (status: number): boolean =>
  [408, 409, 423, 425, 429].includes(status) || status >= 500;

type Options = { headers?: Readonly<Record<string, string>>; body?: BodyInit };

/** Rejects with a RetryLaterError where the server cannot be reached. */
export async function sendRequest(
  method: string,
  path: string,
  { headers, body }: Options = {},
): Promise<Response> {
  try {
    return await fetch(`/api${path}`, {
      method,
      cache: 'no-store',
      headers: {
        accept: 'application/json',
        // It is no person's act, which would keep Locked open.
        'x-safelight-background': '1',
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
  } catch (error) {
    throw new RetryLaterError('The server cannot be reached', { cause: error });
  }
}

/** Returns the body. Throws a RefusedError for a final answer, and a RetryLaterError for one that may change. */
export async function parseAnswer<T>(answer: Response): Promise<T> {
  if (answer.ok) return (await answer.json()) as T;
  const text = (await answer.text()).slice(0, MOST_TEXT);
  if (isTransient(answer.status) || answer.status === SIGNED_OUT) throw new RetryLaterError(text);
  throw new RefusedError(answer.status, text);
}

/** Returns the id of the account of this browser's session, '' without a session. Rejects without an answer. */
export async function fetchAccountId(): Promise<string> {
  const answer = await sendRequest('GET', '/users/me');
  if (answer.status === SIGNED_OUT || answer.status === 403) return '';
  return (await parseAnswer<{ id: string }>(answer)).id;
}
