import type { ErrorHandler } from 'elysia';
import { isDiskFull } from '../core/disk-errors.ts';
import { AppError, databaseUnavailable, type ErrorDetail } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { isConnectionFailure, sqlState } from '../db/client.ts';
import { errorBody } from './error-body.ts';

/** The only place where an error becomes a response. */
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
    // Nobody reads it. The log has a line that says so.
    if (request.signal.aborted) return status(499, body(499, 'The client went away'));
    const { method, url } = request;
    const where = { method, url: withoutQuery(url), error };
    if (isConnectionFailure(error)) {
      log.warn('request failed: the database cannot be reached', where);
      return refuse(databaseUnavailable());
    }
    if (isDiskFull(error)) {
      log.warn('request failed: the disk is full', where);
      return refuse(new AppError('insufficientStorage', 'The server has no space left'));
    }
    const state = sqlState(error) ?? '';
    if (NUL_IN_TEXT.has(state)) return invalid('A text must not contain a NUL character');
    if (UNFIT.has(state)) {
      log.warn('a value was refused by the database', where);
      return invalid('A value is out of range');
    }
    log.error('request failed', where);
    return status(500, body(500, 'Internal server error'));
  };

/** What PostgreSQL says when it is given one, in a text or in JSON: its texts cannot hold it. */
const NUL_IN_TEXT = new Set(['22021', '22P05']);

/** Of a value that its type does not have: a date in the year 0, a rating of 1.5 or of billions. */
const UNFIT = new Set(['22003', '22007', '22008', '22009', '22P02']);

const withoutQuery = (url: string) => url.split('?', 1)[0];
