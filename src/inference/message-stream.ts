import { deserialize, serialize } from 'bun:jsc';

// Between the server and the inference child, both ways: structured clones, each after its length in
// bytes (4 bytes, little endian).

const HEAD_BYTES = 4;
const MAX_MESSAGE_BYTES = 256 * 1024 ** 2;

export function encodeMessage(message: unknown): Uint8Array {
  const body = serialize(message, { binaryType: 'nodebuffer' });
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
}

/** Throws when a message is longer than is plausible. */
export async function* readMessages<M>(stream: ReadableStream<Uint8Array>): AsyncGenerator<M> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let wanted = HEAD_BYTES;
  for await (const chunk of stream) {
    parts.push(chunk);
    size += chunk.length;
    if (size < wanted) continue;
    let rest = Buffer.concat(parts);
    for (;;) {
      wanted = HEAD_BYTES + (rest.length < HEAD_BYTES ? 0 : rest.readUInt32LE());
      if (wanted > MAX_MESSAGE_BYTES) throw new Error('The message is too long');
      if (rest.length < wanted || rest.length < HEAD_BYTES) break;
      // Safe: both ends are of one version.
      yield deserialize(new Uint8Array(rest.subarray(HEAD_BYTES, wanted))) as M;
      rest = rest.subarray(wanted);
    }
    parts = [rest];
    size = rest.length;
  }
}
