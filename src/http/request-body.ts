import { type AppError, badRequest, tooLarge, unsupportedMediaType } from '../core/errors.ts';
import { checkTexts } from './text-check.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** Of a body that nobody has signed in for. */
export const MAX_ANONYMOUS_BYTES = 64 * 1024;
/** Of any other; a list of 65,000 ids has a fourth of it. The listener keeps to it, too. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** From here on a body is parsed alone, and after what was waiting. */
const LARGE_BYTES = 256 * 1024;
const MAX_DEPTH = 64;
/** Objects and lists in one body. Each takes up to a hundred times the memory of its two characters. */
const MAX_CONTAINERS = 250_000;
/** Commas in one body: a list of 65,000 ids, or of as many objects with a few members, has fewer. */
const MAX_COMMAS = 500_000;

/** The phone app calls an empty body text/plain. */
const isEmpty = ({ headers, body }: Request) =>
  body === null || headers.get('content-length') === '0';

/**
 * Throws 415 for a body that is no JSON: a form of another site cannot send that type without asking
 * first.
 */
export function checkContentType(request: Request): void {
  if (isEmpty(request)) return;
  if (!JSON_TYPE.test(request.headers.get('content-type') ?? '')) {
    throw unsupportedMediaType('A body of the type application/json is required');
  }
}

/** Returns the body of the request as JSON; undefined if it has none. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  checkContentType(request);
  if (isEmpty(request)) return undefined;
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return undefined;
  return bytes.length < LARGE_BYTES ? parseJson(bytes) : parseAlone(bytes);
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  if (declared > maxBytes) throw bodyTooLarge();
  // The listener reads no more than was declared.
  if (declared <= maxBytes) return request.bytes();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw bodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const bodyTooLarge = (): AppError => tooLarge('The request body is too large');

let lastLarge: Promise<unknown> = Promise.resolve();

/** One at a time, with other requests in between: a parser does not yield. */
function parseAlone(bytes: Uint8Array): Promise<unknown> {
  const parsed = lastLarge.then(async () => {
    await new Promise(setImmediate);
    return parseJson(bytes);
  });
  lastLarge = parsed.catch(() => {});
  return parsed;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Uint8Array): unknown {
  checkStructure(bytes);
  let value: unknown;
  let text: string;
  try {
    text = decoder.decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw badRequest('Malformed request body');
  }
  if (ESCAPED.test(text)) checkTexts(value);
  return value;
}

/** Valid UTF-8 has neither a NUL nor half a surrogate pair in JSON, except as an escape. */
const ESCAPED = /\\u(?:0000|d[89a-f])/i;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Counts brackets outside of texts, before a parser makes objects of them. */
function checkStructure(bytes: Uint8Array): void {
  let [depth, containers, commas] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = endOfText(bytes, at);
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      containers += 1;
      if (depth > MAX_DEPTH) throw badRequest(`The body is nested deeper than ${MAX_DEPTH} levels`);
      if (containers > MAX_CONTAINERS) {
        throw badRequest(`The body has more than ${MAX_CONTAINERS} objects and lists`);
      }
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1;
    } else if (byte === 0x2c) {
      commas += 1;
      if (commas > MAX_COMMAS) throw badRequest(`The body has more than ${MAX_COMMAS} values`);
    }
  }
}

/** The index of the quote that ends the text which begins at `start`, or the length of the body. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    at = bytes.indexOf(QUOTE, at + 1);
    if (at < 0) return bytes.length;
    let slashes = 0;
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
}
