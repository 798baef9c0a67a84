const encoder = new TextEncoder();

/** Returns the value as JSON in UTF-8. */
export const toJsonBytes = (value: unknown): Uint8Array<ArrayBuffer> =>
  encoder.encode(JSON.stringify(value));
