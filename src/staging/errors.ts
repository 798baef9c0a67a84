import { AppError } from '../core/errors.ts';

export const uploadNotFound = () =>
  new AppError('notFound', 'Upload not found', {
    headers: { 'cache-control': 'no-store' },
    detail: { code: 'not_found' },
  });

/** Errors after which the upload cannot be continued. */
const fatalErrors = new WeakSet<Error>();
/** Makes an error one after which the upload has failed. */
export const markFatal = (error: Error): Error => {
  fatalErrors.add(error);
  return error;
};
export const isFatal = (error: unknown): error is Error =>
  error instanceof Error && fatalErrors.has(error);
