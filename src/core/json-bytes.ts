const encoder = new TextEncoder();

/** Returns the value as JSON in UTF-8. */
export const toJsonBytes = (value: unknown): Uint8Array<ArrayBuffer> =>
  encoder.encode(JSON.stringify(value));

/**
 * Returns a JSON array of items that are JSON text. They are appended: the engine then copies them once,
 * when the whole response is encoded, and not here as well.
 */
export function toJsonArray(items: readonly string[]): string {
  let joined = '';
  for (const [at, item] of items.entries()) joined += at > 0 ? `,${item}` : item;
  return `[${joined}]`;
}
