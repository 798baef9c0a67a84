// Reads tar archives as a stream. Our own: Bun.Archive (1.4) holds the archive and its files in memory, 600 MB
// for a model of 300 MB where this needs 55 MB.

/** A file inside an archive. `body` has to be read before the next entry, or not at all. */
export type TarEntry = {
  readonly path: string;
  readonly size: number;
  body(): AsyncGenerator<Uint8Array>;
};

const BLOCK = 512;
const GZIP = [0x1f, 0x8b];

/** Yields the files of a tar archive, gzipped or not. Throws on another format and on a truncated archive. */
export async function* readTar(stream: ReadableStream<Uint8Array>): AsyncGenerator<TarEntry> {
  const source = await plain(stream);
  let longName: string | undefined;
  for (;;) {
    const header = await source.take(BLOCK);
    if (header.length < BLOCK || header.every((byte) => byte === 0)) return;
    const { path, size, type } = readHeader(header);
    let left = size;
    const next = async (): Promise<Uint8Array | undefined> => {
      if (left === 0) return undefined;
      const chunk = await source.some(left);
      if (chunk.length === 0) throw new Error('The archive is cut short');
      left -= chunk.length;
      return chunk;
    };
    const all = async () => {
      const parts: Uint8Array[] = [];
      for (let part = await next(); part; part = await next()) parts.push(part);
      return new TextDecoder().decode(Buffer.concat(parts));
    };
    if (type === 'L') longName = (await all()).replace(/\0.*$/s, '');
    else if (type === 'x') longName = /^\d+ path=(.*)$/m.exec(await all())?.[1] ?? longName;
    else if (type === '0' || type === '\0') {
      const name = longName ?? path;
      longName = undefined;
      const body = async function* () {
        for (let part = await next(); part; part = await next()) yield part;
      };
      yield { path: name, size, body };
    }
    for (let part = await next(); part; part = await next());
    await source.take((BLOCK - (size % BLOCK)) % BLOCK);
  }
}

function readHeader(header: Uint8Array) {
  const text = (start: number, length: number) =>
    new TextDecoder().decode(header.subarray(start, start + length)).replace(/\0.*$/s, '');
  const size = Number.parseInt(text(124, 12).trim() || '0', 8);
  const checksum = Number.parseInt(text(148, 8).trim(), 8);
  const sum = header.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== checksum || !Number.isSafeInteger(size)) throw new Error('Not a tar archive');
  const prefix = text(257, 5) === 'ustar' ? text(345, 155) : '';
  const name = text(0, 100);
  return {
    path: prefix ? `${prefix}/${name}` : name,
    size,
    type: String.fromCharCode(...header.subarray(156, 157)),
  };
}

type ByteSource = {
  /** Returns exactly `length` bytes; fewer at the end. */
  take(length: number): Promise<Uint8Array>;
  /** Returns available bytes, at most `most`; none at the end. */
  some(most: number): Promise<Uint8Array>;
};

async function plain(stream: ReadableStream<Uint8Array>): Promise<ByteSource> {
  const [head, whole] = stream.tee();
  const reader = head.getReader();
  const first = (await reader.read()).value ?? new Uint8Array(0);
  void reader.cancel();
  const isGzip = first[0] === GZIP[0] && first[1] === GZIP[1];
  // The types of web streams and of Bun's differ in what they say about buffers.
  const gunzip = new DecompressionStream('gzip') as unknown as ReadableWritablePair<
    Uint8Array,
    Uint8Array
  >;
  return byteSource(isGzip ? whole.pipeThrough(gunzip) : whole);
}

function byteSource(stream: ReadableStream<Uint8Array>): ByteSource {
  const reader = stream.getReader();
  let rest = new Uint8Array(0);
  const some = async (most: number): Promise<Uint8Array> => {
    while (rest.length === 0) {
      const { value, done } = await reader.read();
      if (done) return rest;
      rest = new Uint8Array(value.buffer, value.byteOffset, value.length) as typeof rest;
    }
    const chunk = rest.subarray(0, most);
    rest = rest.subarray(chunk.length);
    return chunk;
  };
  return {
    some,
    async take(length) {
      const parts: Uint8Array[] = [];
      for (let left = length; left > 0;) {
        const part = await some(left);
        if (part.length === 0) break;
        parts.push(part);
        left -= part.length;
      }
      const [only, ...others] = parts;
      return only && others.length === 0 ? only : Buffer.concat(parts);
    },
  };
}
