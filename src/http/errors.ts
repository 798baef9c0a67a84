import { type ErrorHandler, ValidationError } from 'elysia';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { sqlState } from '../db/client.ts';

export type FieldError = {
  readonly code: string;
  readonly path: (string | number)[];
  readonly message: string;
};

const body = (statusCode: number, message: string, detail: object = {}) => ({
  message,
  statusCode,
  ...detail,
});

/** The only place where an error becomes a response. */
export const createOnError =
  (log: Log): ErrorHandler =>
  ({ code, error, request, set, status }) => {
    if (error instanceof AppError) {
      Object.assign(set.headers, error.headers);
      return status(error.status, body(error.status, error.message, error.detail));
    }
    if (code === 'NOT_FOUND') return status(404, body(404, 'Route not found'));
    if (code === 'PARSE') return status(400, body(400, 'Malformed request body'));
    // A response that breaks its own schema is our fault, not the caller's.
    if (error instanceof ValidationError && error.type !== 'response') {
      return status(400, body(400, 'Validation failed', { errors: fieldErrors(error) }));
    }
    if (NUL_IN_TEXT.has(sqlState(error) ?? '')) {
      return status(400, body(400, 'A text must not contain a NUL character'));
    }
    log.error('request failed', { method: request.method, url: withoutQuery(request.url), error });
    return status(500, body(500, 'Internal server error'));
  };

/** What PostgreSQL says when it is given one, in a text or in JSON: its texts cannot hold it. */
const NUL_IN_TEXT = new Set(['22021', '22P05']);

const withoutQuery = (url: string) => url.split('?', 1)[0];

/** One entry per field: the first thing that is wrong with it. */
function fieldErrors(error: ValidationError): FieldError[] {
  const byPath = new Map<string, FieldError>();
  for (const found of error.all) {
    if (!('path' in found) || byPath.size >= 20) continue;
    const path = String(found.path);
    if (byPath.has(path)) continue;
    byPath.set(path, {
      code: 'invalid',
      path: path
        .split('/')
        .slice(1)
        .map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
      message: found.message,
    });
  }
  return [...byPath.values()];
}
