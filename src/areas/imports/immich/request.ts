import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import {
  MAX_ANSWER_BYTES,
  readFetchedItems,
  readFetchedJson,
  UnreadableAnswer,
} from '../../../core/fetched-json.ts';
import type { SendRequest } from '../../../inference/models/download.ts';
import { ImmichUnavailable, toUnavailable } from './unavailable.ts';

export type Timing = {
  /** For a whole answer, its body included. */
  readonly deadlineMs: number;
  readonly attempts: number;
  /** Before the second attempt; doubles with each further one. */
  readonly pauseMs: number;
  /** Bytes of a list. */
  readonly maxAnswerBytes: number;
};

const TIMING: Timing = {
  deadlineMs: 120_000,
  attempts: 5,
  pauseMs: 1000,
  // A page of a thousand assets, with faces, has a few MiB; all stacks of a large library have more.
  maxAnswerBytes: 128 * 1024 ** 2,
};

export type Question = {
  readonly base: string;
  readonly path: string;
  readonly body: object | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
  readonly timing: Partial<Timing> | undefined;
  readonly send: SendRequest;
};

/** Returns the answer, after some attempts where another may help. Throws ImmichUnavailable, or the reason of the signal. */
export const askForJson = <T>(question: Question, schema: z.ZodType<T>): Promise<T> =>
  attempt(question, async (response) => {
    const answer = await readFetchedJson(response, MAX_ANSWER_BYTES);
    return parse(question, schema, answer);
  });

export type ListSpec<T, Rest> = {
  readonly item: z.ZodType<T>;
  /** Members that lead to the list. */
  readonly at: readonly string[];
  /** The answer without the items. */
  readonly rest: z.ZodType<Rest>;
  readonly maxItems: number;
};

export type List<T, Rest> = {
  readonly items: T[];
  /** Names of items that are not as they should be. */
  readonly odd: string[];
  readonly rest: Rest;
};

/** Returns a list, which is read item by item, as `askForJson` does. */
export const askForList = <T, Rest>(
  question: Question,
  { item, at, rest, maxItems }: ListSpec<T, Rest>,
): Promise<List<T, Rest>> =>
  attempt(question, async (response) => {
    const { maxAnswerBytes: maxBytes } = { ...TIMING, ...question.timing };
    const read = readFetchedItems(response, at, { maxBytes, maxItems });
    const [items, odd]: [T[], string[]] = [[], []];
    for (;;) {
      const next = await read.next();
      if (next.done) return { items, odd, rest: parse(question, rest, next.value) };
      const parsed = item.safeParse(next.value);
      if (parsed.success && isStorable(parsed.data)) items.push(parsed.data);
      else odd.push(describeOdd(next.value, `${question.path} ${items.length + odd.length + 1}`));
    }
  });

/** Returns whether PostgreSQL can save the texts of a value. */
function isStorable(value: unknown): boolean {
  // NUL and lone surrogates are written as escapes only.
  return !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(JSON.stringify(value));
}

/** Members that are names, the best first. */
const NAMES = ['originalFileName', 'albumName', 'value', 'name', 'primaryAssetId', 'id'] as const;
const NAME_LENGTH = 255;

function describeOdd(value: unknown, fallback: string): string {
  const members = (typeof value === 'object' ? (value ?? {}) : {}) as Record<string, unknown>;
  const name = NAMES.map((member) => members[member]).find(
    (one): one is string => typeof one === 'string' && one !== '',
  );
  return (name ?? fallback).slice(0, NAME_LENGTH).toWellFormed();
}

function parse<T>({ base, path }: Question, schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.join('.') || 'the body';
  throw new ImmichUnavailable('not_immich', base, { detail: `${path}: ${place}` });
}

type Read<T> = (response: Response) => Promise<T>;

async function attempt<T>(question: Question, read: Read<T>): Promise<T> {
  const { base, signal, timing } = question;
  const { attempts, pauseMs } = { ...TIMING, ...timing };
  for (let tries = 1; ; tries++) {
    try {
      return await attemptOnce(question, read);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ImmichUnavailable) throw error;
      if (tries === attempts) throw toUnavailable(base, error);
      await delay(pauseMs * 2 ** (tries - 1), undefined, signal && { signal }).catch(() =>
        signal?.throwIfAborted(),
      );
    }
  }
}

async function attemptOnce<T>(question: Question, read: Read<T>): Promise<T> {
  const { base, path, body, headers, signal, timing, send } = question;
  const { deadlineMs } = { ...TIMING, ...timing };
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
  try {
    return await read(response);
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error;
    const code = error.code === 'too_large' ? 'answer_too_large' : 'not_immich';
    throw new ImmichUnavailable(code, base, { detail: `${path}: ${error.message}` });
  }
}

function explainRefusal(base: string, path: string, status: number): ImmichUnavailable {
  if (status === 401) return new ImmichUnavailable('key_refused', base);
  if (status === 403) return new ImmichUnavailable('permission_missing', base, { detail: path });
  if (status >= 300 && status < 400) return new ImmichUnavailable('redirected', base);
  return new ImmichUnavailable('not_immich', base, { detail: `${path}: status ${status}` });
}
