/**
 * Frees the memory of bytes that nobody uses any more, unless it has others, too. Left to the garbage collector, pieces
 * of uploads and pictures that outlive one of its quick runs stay until it next looks at everything: tens of megabytes.
 */
export function releaseBytes({ buffer, byteLength }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
