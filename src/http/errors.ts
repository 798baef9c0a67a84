import type { ErrorHandler } from 'elysia';
import { isOutOfSpace } from '../core/disk-errors.ts';
import {
  AppError,
  databaseUnavailable,
  type ErrorDetail,
  StorageUnavailable,
  unavailable,
} from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { isDatabaseError, isServerFault } from '../db/errors.ts';
import { isMachineFault } from '../jobs/machine-faults.ts';
import { errorBody } from './error-body.ts';
import { noteFault } from '../core/fault-time.ts';
import { toLoggedPath } from './request-log.ts';
import { markUnanswered } from './retry.ts';

type MachineFault = {
  readonly is: (error: unknown) => boolean;
  /** For the log, after `request failed: `. */
  readonly reason: string;
  readonly toAnswer: () => AppError;
};

/** Errors that say nothing about the request: it may be sent again. The first that fits is answered. */
const MACHINE_FAULTS: readonly MachineFault[] = [
  {
    is: (error) => isDatabaseError(error, 'connectionFailure'),
    reason: 'database unreachable',
    toAnswer: databaseUnavailable,
  },
  {
    is: (error) => isDatabaseError(error, 'statementTimeout'),
    reason: 'the database took too long',
    toAnswer: () => unavailable('The database took too long', 5),
  },
  {
    is: isOutOfSpace,
    reason: 'disk full',
    toAnswer: () => new AppError('insufficientStorage', 'The server has no space left'),
  },
  {
    is: isServerFault,
    reason: 'the database server is at fault',
    toAnswer: databaseUnavailable,
  },
  {
    is: isMachineFault,
    reason: 'the machine is at fault',
    toAnswer: () => unavailable('The machine is at fault at the moment', 5),
  },
];

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
    if (error instanceof AppError) {
      if (error instanceof StorageUnavailable) noteFault();
      return refuse(error);
    }
    if (code === 'NOT_FOUND')
      return status(404, body(404, `Cannot ${request.method} ${new URL(request.url).pathname}`));
    if (request.signal.aborted) return status(499, body(499, 'The client went away'));
    const { method, url } = request;
    const where = { method, path: toLoggedPath(url), error };
    const fault = MACHINE_FAULTS.find(({ is }) => is(error));
    if (fault) {
      log.warn(`request failed: ${fault.reason}`, where);
      noteFault();
      if (isDatabaseError(error, 'connectionFailure')) markUnanswered(request);
      return refuse(fault.toAnswer());
    }
    if (isDatabaseError(error, 'nulCharacter')) {
      return invalid('A text must not contain a NUL character');
    }
    log.error('request failed', where);
    return status(500, body(500, 'Internal server error'));
  };
