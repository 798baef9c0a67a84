import { bytesResponse } from './files.ts';

const encoder = new TextEncoder();

/**
 * Returns a JSON response that bypasses the response schema, whose validation costs more than the response.
 * Only for responses requested thousands of times a second, with a test that compares their members with
 * the schema.
 */
export const jsonResponse = (request: Request, value: unknown): Response =>
  jsonTextResponse(request, JSON.stringify(value));

/** Like jsonResponse, for JSON text from the database. */
export const jsonTextResponse = (request: Request, text: string): Response =>
  bytesResponse(request, {
    bytes: encoder.encode(text),
    type: 'application/json; charset=utf-8',
  });
