import type { ErrorDetail } from '../core/errors.ts';
import { isExtension } from './extensions.ts';

/** One entry of `errors`, in the shape of a Zod issue. */
export type FieldError = {
  readonly code: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
};

/**
 * Returns the body of an error response. Immich's operations return `message` and, for validation,
 * `errors`, because its clients compare them. Extensions add `statusCode`, `code` and the details.
 */
export function errorBody(
  request: Pick<Request, 'method' | 'url'>,
  statusCode: number,
  message: string,
  { errors, ...detail }: ErrorDetail = {},
  code?: string,
): object {
  const base = { message, ...(errors !== undefined && { errors }) };
  if (!isExtension(request)) return base;
  return { ...base, statusCode, ...(code && { code }), ...detail };
}
