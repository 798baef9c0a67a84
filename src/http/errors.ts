import type { ErrorHandler } from 'elysia';
import { isOutOfSpace } from '../core/disk-errors.ts';
import { AppError, databaseUnavailable, type ErrorDetail, unavailable } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { isDatabaseError } from '../db/errors.ts';
import { errorBody } from './error-body.ts';
import { toLoggedPath } from './request-log.ts';
import { markUnanswered } from './retry.ts';

/** Returns the handler that turns every thrown error into a response. */
export const createOnError =
  (log: Log): ErrorHandler =>
  ({ code, error, request, set, status }) => {
    const body = (statusCode: number, message: string, detail?: ErrorDetail, word?: string) =>
      errorBody(request, statusCode, message, detail, word);
    const invalid = (message: string, detail?: ErrorDetail) =>
      status(400, body(400, message, detail, 'validation_failed'));
    const refuse = ({ status: number, message, detail, code: word, headers }: AppError) => {
      Object.assign(set.headers, headers);
      return status(number, body(number, message, detail, word));
    };
    if (error instanceof AppError) return refuse(error);
    if (code === 'NOT_FOUND')
      return status(404, body(404, `Cannot ${request.method} ${new URL(request.url).pathname}`));
    if (request.signal.aborted) return status(499, body(499, 'The client went away'));
    const { method, url } = request;
    const where = { method, path: toLoggedPath(url), error };
    if (isDatabaseError(error, 'connectionFailure')) {
      log.warn('request failed: database unreachable', where);
      markUnanswered(request);
      return refuse(databaseUnavailable());
    }
    if (isDatabaseError(error, 'statementTimeout')) {
      log.warn('request failed: the database took too long', where);
      return refuse(unavailable('The database took too long', 5));
    }
    if (isOutOfSpace(error)) {
      log.warn('request failed: disk full', where);
      return refuse(new AppError('insufficientStorage', 'The server has no space left'));
    }
    if (isDatabaseError(error, 'nulCharacter')) {
      return invalid('A text must not contain a NUL character');
    }
    log.error('request failed', where);
    return status(500, body(500, 'Internal server error'));
  };
