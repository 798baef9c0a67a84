export const MAX_DEPTH = 64;
/** Maximum number of objects and lists: each takes up to 100 times the memory of its text. */
const MAX_CONTAINERS = 250_000;
/** Maximum number of commas: more than 65,000 objects with a few members have. */
const MAX_COMMAS = 500_000;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/**
 * Returns what is wrong with the structure of JSON text, as an end of a sentence: too many or too deeply nested values, which
 * the parser would allocate. Undefined if nothing is; it may still be malformed.
 */
export function findStructureFault(bytes: Uint8Array): string | undefined {
  let [depth, containers, commas] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = findStringEnd(bytes, at);
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      containers += 1;
      if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
      if (containers > MAX_CONTAINERS) return `has more than ${MAX_CONTAINERS} objects and lists`;
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1;
    } else if (byte === 0x2c) {
      commas += 1;
      if (commas > MAX_COMMAS) return `has more than ${MAX_COMMAS} values`;
    }
  }
  return undefined;
}

/** Returns the index of the closing quote of the string that begins at `start`, or the length. */
function findStringEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    at = bytes.indexOf(QUOTE, at + 1);
    if (at < 0) return bytes.length;
    let slashes = 0;
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
}
