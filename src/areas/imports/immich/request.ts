import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { SendRequest } from '../../../inference/models/download.ts';
import { ImmichUnavailable, toUnavailable } from './unavailable.ts';

export type Timing = {
  /** For a whole answer, its body included. */
  readonly deadlineMs: number;
  readonly attempts: number;
  /** Before the second attempt; doubles with each further one. */
  readonly pauseMs: number;
  /** Bytes of an answer that is no original. */
  readonly maxAnswerBytes: number;
};

const TIMING: Timing = {
  deadlineMs: 120_000,
  attempts: 5,
  pauseMs: 1000,
  // A page of a thousand assets, with faces, has a few MiB; all stacks of a large library have more.
  maxAnswerBytes: 128 * 1024 ** 2,
};

type Question<T> = {
  readonly base: string;
  readonly path: string;
  readonly schema: z.ZodType<T>;
  readonly body: object | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
  readonly timing: Partial<Timing> | undefined;
  readonly send: SendRequest;
};

/** Returns the answer, after some attempts where another may help. Throws ImmichUnavailable, or the reason of the signal. */
export async function askForJson<T>(question: Question<T>): Promise<T> {
  const { base, signal, timing } = question;
  const { attempts, pauseMs } = { ...TIMING, ...timing };
  for (let attempt = 1; ; attempt++) {
    try {
      return await askOnce(question);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ImmichUnavailable) throw error;
      if (attempt === attempts) throw toUnavailable(base, error);
      await delay(pauseMs * 2 ** (attempt - 1), undefined, signal && { signal }).catch(() =>
        signal?.throwIfAborted(),
      );
    }
  }
}

async function askOnce<T>(question: Question<T>): Promise<T> {
  const { base, path, schema, body, headers, signal, timing, send } = question;
  const { deadlineMs, maxAnswerBytes } = { ...TIMING, ...timing };
  const deadline = AbortSignal.timeout(deadlineMs);
  const response = await send(base + path, {
    // The key is for this address only.
    redirect: 'manual',
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  });
  const { status } = response;
  if (!response.ok) {
    await response.body?.cancel();
    if (status >= 500 || status === 429) throw new Error(`${path}: status ${status}`);
    throw explainRefusal(base, path, status);
  }
  const text = await readText(response, maxAnswerBytes);
  if (text === undefined) {
    throw new ImmichUnavailable('answer_too_large', base, { detail: path });
  }
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.join('.') || 'the body';
  throw new ImmichUnavailable('not_immich', base, { detail: `${path}: ${place}` });
}

function explainRefusal(base: string, path: string, status: number): ImmichUnavailable {
  if (status === 401) return new ImmichUnavailable('key_refused', base);
  if (status === 403) return new ImmichUnavailable('permission_missing', base, { detail: path });
  if (status >= 300 && status < 400) return new ImmichUnavailable('redirected', base);
  return new ImmichUnavailable('not_immich', base, { detail: `${path}: status ${status}` });
}

/** Returns the body; undefined, without reading on, if it is longer. */
async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
