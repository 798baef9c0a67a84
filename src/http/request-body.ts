import { type AppError, badRequest, tooLarge, unsupportedMediaType } from '../core/errors.ts';
import { checkTexts } from './text-check.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** Maximum length of a body without authentication, in bytes. */
export const MAX_ANONYMOUS_BYTES = 64 * 1024;
/** Maximum length of other bodies, in bytes: four times a list of 65,000 ids. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Bodies from this length on, in bytes, are parsed one at a time. */
const LARGE_BYTES = 256 * 1024;
const MAX_DEPTH = 64;
/** Maximum number of objects and lists: each takes up to 100 times the memory of its text. */
const MAX_CONTAINERS = 250_000;
/** Maximum number of commas: more than 65,000 objects with a few members have. */
const MAX_COMMAS = 500_000;

/** Checked before the type: the phone app sends empty bodies as text/plain. */
const isEmpty = ({ headers, body }: Request) =>
  body === null || headers.get('content-length') === '0';

/**
 * Throws 415 for a body whose type is not JSON. Protects against cross-site forms, which cannot send that
 * type without a CORS preflight.
 */
export function checkContentType(request: Request): void {
  if (isEmpty(request)) return;
  if (!isJson(request)) {
    throw unsupportedMediaType('A body of the type application/json is required');
  }
}

/** Returns the parsed JSON body, undefined for an empty one. Throws 400, 413 or 415. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  checkContentType(request);
  if (isEmpty(request)) return undefined;
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return undefined;
  return bytes.length < LARGE_BYTES ? parseJson(bytes) : parseLargeJson(bytes);
}

/** Whether the body is JSON by its type. */
export const isJson = ({ headers }: Request): boolean =>
  JSON_TYPE.test(headers.get('content-type') ?? '');

/** Returns the fields of a form without files. Throws 413 or 415. */
export async function readUrlEncodedForm(
  request: Request,
  maxBytes: number,
): Promise<URLSearchParams> {
  const [type] = (request.headers.get('content-type') ?? '').toLowerCase().split(';');
  if (type !== FORM_TYPE) throw unsupportedMediaType(`A body of the type ${FORM_TYPE} is required`);
  const bytes = isEmpty(request) ? new Uint8Array() : await readBytes(request, maxBytes);
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

const FORM_TYPE = 'application/x-www-form-urlencoded';

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  if (declared > maxBytes) throw bodyTooLarge();
  // The listener reads no more than the declared length.
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

/** Parses one body at a time and lets other requests run in between: JSON.parse does not yield. */
function parseLargeJson(bytes: Uint8Array): Promise<unknown> {
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
  if (ESCAPED_NUL_OR_SURROGATE.test(text)) checkTexts(value);
  return value;
}

/** In valid UTF-8, NUL and lone surrogates occur in JSON as escapes only. */
const ESCAPED_NUL_OR_SURROGATE = /\\u(?:0000|d[89a-f])/i;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Throws 400 for too many or too deeply nested values, before the parser allocates them. */
function checkStructure(bytes: Uint8Array): void {
  let [depth, containers, commas] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = findStringEnd(bytes, at);
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

/** Returns the index of the closing quote of the string that begins at `start`, or the length. */
function findStringEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    at = bytes.indexOf(QUOTE, at + 1);
    if (at < 0) return bytes.length;
    let slashes = 0;
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
}
