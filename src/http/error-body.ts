import type { ErrorDetail } from '../core/errors.ts';
import { isExtension } from './extensions.ts';

/** One entry of `errors`: what is wrong with which field, in Zod's words. */
export type FieldError = {
  readonly code: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
};

/**
 * Returns the body of an error. Immich's operations answer `message`, and `errors` on validation, and
 * nothing else: its clients compare it. Our own add `statusCode`, `code` and what else is known.
 */
export function errorBody(
  request: Pick<Request, 'method' | 'url'>,
  statusCode: number,
  message: string,
  { errors, ...detail }: ErrorDetail = {},
  code?: string,
): object {
  const said = { message, ...(errors !== undefined && { errors }) };
  if (!isExtension(request)) return said;
  return { ...said, statusCode, ...(code && { code }), ...detail };
}
