import type { LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { getFirst, requireValue } from '../../../core/required.ts';

const TIMEOUT_MS = 10_000;

type Post = {
  readonly url: URL;
  /** Addresses of the host to connect to, whatever its name resolves to meanwhile. */
  readonly addresses: readonly LookupAddress[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
};

export type Answer = {
  readonly status: number;
  /** Pause that Retry-After asks for (RFC 9110 §10.2.3); undefined: none. */
  readonly retryAfterMs: number | undefined;
};

/** Posts a body and returns the head of the answer. Does not follow redirects, nor read the answer. */
export function post({ url, addresses, headers, body, signal }: Post): Promise<Answer> {
  const lookup: LookupFunction = (_host, { all }, done) => {
    const { address, family } = getFirst(addresses);
    if (all) done(null, [...addresses]);
    else done(null, address, family);
  };
  const { request } = url.protocol === 'https:' ? https : http;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        agent: false,
        lookup,
        signal: AbortSignal.any([signal, timeout]),
      },
      (answer) => {
        answer.destroy();
        const retryAfterMs = parseRetryAfter(answer.headers['retry-after']);
        resolve({ status: requireValue(answer.statusCode, 'status of an answer'), retryAfterMs });
      },
    );
    sent.on('error', (error) =>
      reject(timeout.aborted ? new Error(`No answer within ${TIMEOUT_MS / 1000} s`) : error),
    );
    sent.end(body);
  });
}

/** Seconds, or a date. */
function parseRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return ms > 0 ? ms : undefined;
}
