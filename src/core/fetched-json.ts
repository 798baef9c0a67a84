import { createItemScanner, type ItemText, UnreadableJson } from './json-items.ts';
import { findStructureFault } from './json-structure.ts';

// Other servers' answers are read with the limits of requests to this one: nobody waits for a large one to be parsed, and
// none takes more memory than it may.

/** An answer that is not read to its end, or is no JSON. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
  readonly code: 'too_large' | 'malformed';

  constructor(code: UnreadableAnswer['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Bytes of an answer that is no list. */
export const MAX_ANSWER_BYTES = 10 * 1024 * 1024;

/** Bytes that are looked at before other work has its turn. */
const TURN_BYTES = 256 * 1024;
const MAX_ITEM_BYTES = 1024 * 1024;
const MAX_REST_BYTES = 1024 * 1024;

const yieldTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Yields the chunks of a body, with turns for other work. Throws UnreadableAnswer, without reading on, for a longer one. */
async function* readChunks(response: Response, maxBytes: number): AsyncGenerator<Uint8Array, void> {
  let [bytes, unyielded] = [0, 0];
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new UnreadableAnswer('too_large', `more than ${maxBytes} bytes`);
    for (let at = 0; at < chunk.length; at += TURN_BYTES) {
      const part = chunk.subarray(at, at + TURN_BYTES);
      yield part;
      unyielded += part.length;
      if (unyielded < TURN_BYTES) continue;
      unyielded = 0;
      await yieldTurn();
    }
  }
}

/** Returns the body. Throws UnreadableAnswer for a longer one. */
export async function readFetchedBytes(
  response: Response,
  maxBytes = MAX_ANSWER_BYTES,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(response, maxBytes)) chunks.push(chunk.slice());
  return Buffer.concat(chunks);
}

/** Returns the body as text. Throws UnreadableAnswer for a longer one. */
export const readFetchedText = async (
  response: Response,
  maxBytes = MAX_ANSWER_BYTES,
): Promise<string> => new TextDecoder().decode(await readFetchedBytes(response, maxBytes));

/** Returns the parsed body. Throws UnreadableAnswer for one that is too large, nested too deep, or no JSON. */
export async function readFetchedJson(
  response: Response,
  maxBytes = MAX_ANSWER_BYTES,
): Promise<unknown> {
  return parseAnswer(await readFetchedBytes(response, maxBytes));
}

function parseAnswer(bytes: Uint8Array): unknown {
  const fault = findStructureFault(bytes);
  if (fault) throw new UnreadableAnswer('too_large', `The answer ${fault}`);
  const parsed = parseText(bytes);
  if (parsed === undefined) throw new UnreadableAnswer('malformed', 'The answer is no JSON');
  return parsed;
}

/** Returns undefined for no JSON. */
function parseText(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

export type ListLimits = { readonly maxBytes: number; readonly maxItems: number };

/**
 * Yields the items of the list at a path of members, as they come; undefined for one that is too large or no JSON. Returns
 * the document without them. Throws UnreadableAnswer.
 */
export async function* readFetchedItems(
  response: Response,
  path: readonly string[],
  { maxBytes, maxItems }: ListLimits,
): AsyncGenerator<unknown, unknown> {
  const scanner = createItemScanner(path, {
    maxItemBytes: MAX_ITEM_BYTES,
    maxRestBytes: MAX_REST_BYTES,
  });
  let count = 0;
  try {
    for await (const chunk of readChunks(response, maxBytes)) {
      for (const item of scanner.push(chunk)) {
        count += 1;
        if (count > maxItems)
          throw new UnreadableAnswer('too_large', `more than ${maxItems} items`);
        yield parseItem(item);
      }
    }
    return parseAnswer(scanner.end());
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    throw new UnreadableAnswer('malformed', `The answer is ${error.message}`);
  }
}

const parseItem = (text: ItemText): unknown =>
  text === undefined || findStructureFault(text) ? undefined : parseText(text);

/** Returns a fetch for libraries that read answers whole: these are bounded before. */
export async function fetchBounded(
  input: string | URL | Request,
  init?: object,
): Promise<Response> {
  const response = await fetch(input, init as RequestInit);
  const { status, statusText, headers } = response;
  const bytes = await readFetchedBytes(response, MAX_IDENTITY_BYTES);
  const fault = /json/i.test(headers.get('content-type') ?? '') && findStructureFault(bytes);
  if (fault) throw new UnreadableAnswer('too_large', `The answer ${fault}`);
  // A body is not allowed with these, RFC 9110 §6.4.1.
  const body = status === 204 || status === 205 || status === 304 ? null : bytes;
  const copied = new Response(body, { status, statusText, headers: withoutCoding(headers) });
  Object.defineProperty(copied, 'url', { value: response.url });
  return copied;
}

/** Bytes of documents of a login provider. */
const MAX_IDENTITY_BYTES = 1024 * 1024;

/** The bytes are decoded. */
function withoutCoding(headers: Headers): Headers {
  const copied = new Headers(headers);
  for (const name of ['content-encoding', 'content-length']) copied.delete(name);
  return copied;
}
