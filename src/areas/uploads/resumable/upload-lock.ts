// One request at a time has the turn at an upload. Whoever comes next ends the transfer of the one
// before, for that may hang in a dead connection for minutes, and waits until its bytes are safe.

export type Turn = {
  /** Somebody else has come: what is not in the file yet is not wanted any more. */
  readonly isOver: boolean;
  /** From here on it is brought to its end whoever comes: all bytes are there. */
  hold(): void;
};

type Entry = { readonly interrupt: () => void; readonly done: Promise<void> };

const last = new Map<string, Entry>();

/** `interrupt` must make `work` end soon. */
export async function takeTurn<T>(
  id: string,
  interrupt: () => void,
  work: (turn: Turn) => Promise<T>,
): Promise<T> {
  const before = last.get(id);
  const done = Promise.withResolvers<void>();
  const turn = { isOver: false, isHeld: false };
  const entry: Entry = {
    interrupt() {
      turn.isOver = true;
      if (!turn.isHeld) interrupt();
    },
    done: done.promise,
  };
  last.set(id, entry);
  try {
    before?.interrupt();
    await before?.done;
    return await work({
      get isOver() {
        return turn.isOver;
      },
      hold() {
        turn.isHeld = true;
      },
    });
  } finally {
    if (last.get(id) === entry) last.delete(id);
    done.resolve();
  }
}
