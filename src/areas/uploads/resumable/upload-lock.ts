// One request at a time holds the lock of an upload. The next one interrupts the transfer of the
// current holder, which may hang in a dead connection for minutes, and waits until its bytes are
// durable.

export type UploadLock = {
  /** Another request waits: bytes that are not in the file yet are discarded. */
  readonly isInterrupted: boolean;
  /** Call when all bytes are received: later requests then wait instead of interrupting. */
  makeUninterruptible(): void;
};

type LockEntry = { readonly interrupt: () => void; readonly done: Promise<void> };

const lastEntries = new Map<string, LockEntry>();

/** Runs `work` under the lock of the upload. `interrupt` must make `work` end soon. */
export async function acquireUploadLock<T>(
  id: string,
  interrupt: () => void,
  work: (turn: UploadLock) => Promise<T>,
): Promise<T> {
  const previous = lastEntries.get(id);
  const done = Promise.withResolvers<void>();
  const turn = { isOver: false, isHeld: false };
  const entry: LockEntry = {
    interrupt() {
      turn.isOver = true;
      if (!turn.isHeld) interrupt();
    },
    done: done.promise,
  };
  lastEntries.set(id, entry);
  try {
    previous?.interrupt();
    await previous?.done;
    return await work({
      get isInterrupted() {
        return turn.isOver;
      },
      makeUninterruptible() {
        turn.isHeld = true;
      },
    });
  } finally {
    if (lastEntries.get(id) === entry) lastEntries.delete(id);
    done.resolve();
  }
}
