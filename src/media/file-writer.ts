import type { FileHandle } from 'node:fs/promises';

/** Bytes (or chunks) gathered for one write call. */
const BATCH_BYTES = 1024 ** 2;
const BATCH_CHUNKS = 256;

export type Writer = {
  /** Wait for the promise, if there is one, before the next chunk. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Resolves once everything given so far is written. Throws the disk's error. */
  flush(): Promise<void>;
  /** End of the bytes written without a gap, whatever failed since. */
  readonly end: number;
  /** Resolves once nothing uses the file any more, also after errors. */
  idle(): Promise<unknown>;
};

export type WriterOptions = {
  /** Where the first byte goes. */
  readonly start?: number;
  /** After so many bytes they are pushed to the disk, so that the end is quick. */
  readonly pushBytes?: number;
};

/** Writes in big pieces, one at a time, while the next one is being received and hashed. */
export function createWriter(
  file: FileHandle,
  { start = 0, pushBytes = Infinity }: WriterOptions = {},
): Writer {
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  let unpushed = 0;
  let end = start;
  let writing: Promise<void> = Promise.resolve();
  let pushing: Promise<void> = Promise.resolve();

  const writeAll = async (chunks: Uint8Array[], bytes: number) => {
    const { bytesWritten } = await file.writev(chunks, end);
    end += bytesWritten;
    if (bytesWritten === bytes) return;
    // A nearly full disk takes less than it was given; the next call says why.
    const rest = Buffer.concat(chunks).subarray(bytesWritten);
    for (let at = 0; at < rest.length;) {
      const { bytesWritten: more } = await file.write(rest, at, rest.length - at, end);
      at += more;
      end += more;
    }
  };
  const begin = () => {
    const [chunks, before, bytes] = [batch, writing, batchBytes];
    batch = [];
    batchBytes = 0;
    writing = before.then(() => writeAll(chunks, bytes));
    unpushed += bytes;
    if (unpushed >= pushBytes) {
      unpushed = 0;
      const [written, pushed] = [writing, pushing];
      pushing = pushed.then(() => written).then(() => file.datasync());
      pushing.catch(() => {});
      // The reader may run ahead of the disk by one push, not more.
      writing = Promise.all([written, pushed]).then(() => {});
    }
    writing.catch(() => {});
    return before;
  };
  return {
    get end() {
      return end;
    },
    write(chunk) {
      batch.push(chunk);
      batchBytes += chunk.length;
      return batchBytes < BATCH_BYTES && batch.length < BATCH_CHUNKS ? undefined : begin();
    },
    async flush() {
      if (batchBytes > 0) void begin();
      await writing;
      await pushing;
    },
    idle: () => Promise.allSettled([writing, pushing]),
  };
}
