import { toBytes, toJsonBytes } from '../core/json-bytes.ts';
import { bytesResponse } from './files.ts';

/**
 * Returns a JSON response that bypasses the response schema, whose validation costs more than the response.
 * Only for responses requested thousands of times a second, with a test that compares their members with
 * the schema.
 */
export const jsonResponse = (request: Request, value: unknown): Response =>
  jsonBytesResponse(request, toJsonBytes(value));

/** Like jsonResponse, for a value that is JSON text. */
export const jsonTextResponse = (request: Request, text: string): Response =>
  jsonBytesResponse(request, toBytes(text));

/** Like jsonResponse, for JSON that several requests share. */
export const jsonBytesResponse = (request: Request, bytes: Uint8Array<ArrayBuffer>): Response =>
  bytesResponse(request, { bytes, type: 'application/json; charset=utf-8' });
