/**
 * Frees the memory of bytes that nobody uses any more, unless it has others, too. Left to the garbage collector, pieces
 * of uploads that outlive one of its quick runs stay until it next looks at everything: tens of megabytes.
 */
export function releaseBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
