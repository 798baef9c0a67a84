const encoder = new TextEncoder();

export type Bytes = Uint8Array<ArrayBuffer>;

/** Returns the text in UTF-8. */
export const toBytes = (text: string): Bytes => encoder.encode(text);

/** Returns the value as JSON in UTF-8. */
export const toJsonBytes = (value: unknown): Bytes => toBytes(JSON.stringify(value));

/**
 * Returns a JSON array of items that are JSON text. They are appended: the engine then copies them once,
 * when the whole response is encoded, and not here as well.
 */
export function toJsonArray(items: readonly string[]): string {
  let joined = '';
  for (const [at, item] of items.entries()) joined += at > 0 ? `,${item}` : item;
  return `[${joined}]`;
}
