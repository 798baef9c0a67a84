import type { FileHandle } from 'node:fs/promises';
import { releaseBytes } from '../core/release-bytes.ts';

/** Bytes gathered for one write call. */
const BATCH_BYTES = 1024 ** 2;

export type Writer = {
  /** Copies the chunk. Wait for the promise, if there is one, before the next one. */
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
  let batch: Uint8Array | undefined;
  let batchBytes = 0;
  let unpushed = 0;
  let end = start;
  let writing: Promise<void> = Promise.resolve();
  let pushing: Promise<void> = Promise.resolve();

  const writeAll = async (bytes: Uint8Array, length: number) => {
    // A nearly full disk takes less than it was given; the next call says why.
    for (let at = 0; at < length;) {
      const { bytesWritten } = await file.write(bytes, at, length - at, end);
      at += bytesWritten;
      end += bytesWritten;
    }
    releaseBytes(bytes);
  };
  const begin = () => {
    const [bytes, length, before] = [batch, batchBytes, writing];
    batch = undefined;
    batchBytes = 0;
    if (!bytes) return before;
    writing = before.then(() => writeAll(bytes, length));
    unpushed += length;
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
      let before: Promise<void> | undefined;
      for (let at = 0; at < chunk.length;) {
        batch ??= Buffer.allocUnsafeSlow(BATCH_BYTES);
        const fitting = chunk.subarray(at, at + BATCH_BYTES - batchBytes);
        batch.set(fitting, batchBytes);
        batchBytes += fitting.length;
        at += fitting.length;
        if (batchBytes === BATCH_BYTES) before = begin();
      }
      return before;
    },
    async flush() {
      void begin();
      await writing;
      await pushing;
    },
    idle: () => Promise.allSettled([writing, pushing]),
  };
}
