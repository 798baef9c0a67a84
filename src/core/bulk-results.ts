import type { BulkIdResult } from '../http/schemas.ts';

type BulkError = NonNullable<BulkIdResult['error']>;

/**
 * Returns the result of each id, in order and as it was given. `getError` gets ids in lower case; an id that it
 * accepts and that was there before has `repeatedError`.
 */
export function toBulkResults(
  ids: readonly string[],
  repeatedError: BulkError,
  getError: (id: string) => BulkError | undefined,
): BulkIdResult[] {
  const seen = new Set<string>();
  return ids.map((id) => {
    const key = id.toLowerCase();
    const error = getError(key) ?? (seen.has(key) ? repeatedError : undefined);
    seen.add(key);
    return error ? { id, success: false, error } : { id, success: true };
  });
}
