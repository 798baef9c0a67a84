import { bytesResponse } from './files.ts';

const encoder = new TextEncoder();

/**
 * An answer that skips its response schema, which costs more than making it. Only for what is asked
 * for thousands of times a second, and whose members are written out by name where it is made; a
 * test then compares them with the schema.
 */
export const jsonResponse = (request: Request, value: unknown): Response =>
  jsonTextResponse(request, JSON.stringify(value));

/** The same where the database has written it. */
export const jsonTextResponse = (request: Request, text: string): Response =>
  bytesResponse(request, {
    bytes: encoder.encode(text),
    type: 'application/json; charset=utf-8',
  });
