import { toJsonBytes } from '../core/json-bytes.ts';
import { bytesResponse } from './files.ts';

const encoder = new TextEncoder();

/**
 * Returns a JSON response that bypasses the response schema, whose validation costs more than the response.
 * Only for responses requested thousands of times a second, with a test that compares their members with
 * the schema.
 */
export const jsonResponse = (request: Request, value: unknown): Response =>
  jsonBytesResponse(request, toJsonBytes(value));

/**
 * Returns a JSON array of items that are JSON text. They are appended: the engine then copies them once,
 * when the whole response is encoded, and not here as well.
 */
export function toJsonArray(items: readonly string[]): string {
  let joined = '';
  for (const [at, item] of items.entries()) joined += at > 0 ? `,${item}` : item;
  return `[${joined}]`;
}

/** Like jsonResponse, for a value that is JSON text. */
export const jsonTextResponse = (request: Request, text: string): Response =>
  jsonBytesResponse(request, encoder.encode(text));

/** Like jsonResponse, for JSON that several requests share. */
export const jsonBytesResponse = (request: Request, bytes: Uint8Array<ArrayBuffer>): Response =>
  bytesResponse(request, { bytes, type: 'application/json; charset=utf-8' });
