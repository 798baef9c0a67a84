const BUFFERED_BYTES = 256 * 1024;

export type Output = {
  readonly stream: ReadableStream<Uint8Array>;
  /** Resolves when the reader wants more, or nothing any more. */
  push(bytes: Uint8Array): Promise<void>;
  /** Ends the stream: later bytes are dropped. */
  close(): void;
};

/** Returns a stream that is filled no faster than it is read. */
export function createOutput(): Output {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let isClosed = false;
  let wake = () => {};
  const stream = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      pull: () => wake(),
      cancel() {
        isClosed = true;
        wake();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED_BYTES }),
  );
  return {
    stream,
    async push(bytes) {
      if (isClosed) return;
      controller.enqueue(bytes);
      if ((controller.desiredSize ?? 0) > 0) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    close() {
      if (!isClosed) controller.close();
      isClosed = true;
      wake();
    },
  };
}
