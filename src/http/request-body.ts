import { type AppError, badRequest, tooLarge, unsupportedMediaType } from '../core/errors.ts';
import { findStructureFault } from '../core/json-structure.ts';
import { checkTexts } from './text-check.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** Maximum length of a body without authentication, in bytes. */
export const MAX_ANONYMOUS_BYTES = 64 * 1024;
/** Maximum length of other bodies, in bytes: four times a list of 65,000 ids. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Bodies from this length on, in bytes, are parsed one at a time. */
const LARGE_BYTES = 256 * 1024;

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
  const fault = findStructureFault(bytes);
  if (fault) throw badRequest(`The body ${fault}`);
  let value: unknown;
  let text: string;
  try {
    text = decoder.decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw badRequest('Malformed request body');
  }
  if (ESCAPED_NUL_OR_SURROGATE.test(text)) checkTexts(value);
  if (MAY_BE_DECOMPOSED.test(text)) composeNames(value);
  return value;
}

/** In valid UTF-8, NUL and lone surrogates occur in JSON as escapes only. */
const ESCAPED_NUL_OR_SURROGATE = /\\u(?:0000|d[89a-f])/i;

const MAY_BE_DECOMPOSED = /[^\0-\x7f]|\\u/;

/** Members of bodies that are stored as a name. */
const NAMES: ReadonlySet<string> = new Set(['name', 'albumName']);

/** Composes the names anywhere in the body, in place (NFC): two that look the same are the same. */
function composeNames(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  for (const [member, value] of Object.entries(body)) {
    if (typeof value !== 'string') composeNames(value);
    else if (NAMES.has(member)) Object.assign(body, { [member]: value.normalize('NFC') });
  }
}
