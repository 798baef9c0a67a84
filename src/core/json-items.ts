import { MAX_DEPTH } from './json-structure.ts';

export type ItemLimits = {
  /** Bytes of an item: a longer one is left out. */
  readonly maxItemBytes: number;
  /** Bytes of all that is around the items. */
  readonly maxRestBytes: number;
};

/** The text of an item; undefined for one that is too long. */
export type ItemText = Uint8Array | undefined;

/** The document is nested too deep, too long around its items, or ends too early. */
export class UnreadableJson extends Error {
  override readonly name = 'UnreadableJson';
}

const [TAB, LF, CR, SPACE, QUOTE, COMMA, COLON] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x3a];
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x5b, 0x5c, 0x5d, 0x7b, 0x7d,
];
const isSpace = (byte: number) => byte === SPACE || byte === LF || byte === CR || byte === TAB;

/** Longest name of a member that a path may have, in bytes. */
const MAX_NAME = 64;

/** Collects pieces of chunks up to a number of bytes. */
function createSink(maxBytes: number) {
  let parts: Uint8Array[] = [];
  let length = 0;
  return {
    add(part: Uint8Array): void {
      length += part.length;
      // The chunk may be used again by its sender.
      if (length > maxBytes) parts = [];
      else if (part.length > 0) parts.push(part.slice());
    },
    isEmpty: () => length === 0,
    isOver: () => length > maxBytes,
    take(): Uint8Array {
      const bytes = Buffer.concat(parts);
      [parts, length] = [[], 0];
      return bytes;
    },
  };
}

/** Follows brackets and the names of members to the list at a path. */
function createTracker(path: readonly string[]) {
  /** Open brackets; members of the path whose object is open; depth of the list, while it is open. */
  let [depth, matched, listDepth] = [0, 0, 0];
  let isFound = false;
  /** The last string, where it may be the name of a member of the path. */
  let name: string | undefined;
  /** Whether the next value is the one of that member. */
  let isNext = path.length === 0;
  const isAtMembers = () => !isFound && depth === matched + 1;
  return {
    isInList: () => listDepth > 0,
    isBetweenItems: () => listDepth > 0 && depth === listDepth,
    isClosed: () => depth === 0,
    beginString: () => {
      isNext = false;
      name = isAtMembers() ? '' : undefined;
    },
    addToString(byte: number): void {
      if (name === undefined) return;
      name = name.length < MAX_NAME ? name + String.fromCharCode(byte) : undefined;
    },
    endName: () => void (isNext = isAtMembers() && name === path[matched]),
    passValue: () => void (isNext = false),
    /** Returns whether the list begins. */
    open(byte: number): boolean {
      depth += 1;
      if (depth > MAX_DEPTH) throw new UnreadableJson(`nested deeper than ${MAX_DEPTH} levels`);
      const isWanted = isNext && !isFound;
      isNext = false;
      if (isWanted && byte === OPEN_OBJECT && matched < path.length - 1) matched += 1;
      else if (isWanted && byte === OPEN_LIST && matched >= path.length - 1) {
        isFound = true;
        listDepth = depth;
        return true;
      }
      return false;
    },
    close(): void {
      if (depth === listDepth) listDepth = 0;
      depth -= 1;
      if (depth < 0) throw new UnreadableJson('closed more often than opened');
      if (depth <= matched) matched = Math.max(0, depth - 1);
    },
  };
}

/**
 * Splits JSON text into the items of the first list at a path of members, and the rest, in which that list is empty. Of the
 * syntax it knows brackets and strings only: the parts are parsed by who takes them. Memory is that of one item and of the
 * rest, time that of one pass.
 */
export function createItemScanner(path: readonly string[], limits: ItemLimits) {
  const tracker = createTracker(path);
  const rest = createSink(limits.maxRestBytes);
  const item = createSink(limits.maxItemBytes);
  let [isInString, isEscaped] = [false, false];

  function readString(byte: number): void {
    if (isEscaped) isEscaped = false;
    else if (byte === BACKSLASH) isEscaped = true;
    else if (byte === QUOTE) isInString = false;
    if (isInString) tracker.addToString(byte);
  }

  function* split(chunk: Uint8Array): Generator<ItemText> {
    let start = 0;
    const flush = (end: number) => {
      (tracker.isInList() ? item : rest).add(chunk.subarray(start, end));
      start = end;
    };
    for (const [at, byte] of chunk.entries()) {
      if (isInString) readString(byte);
      else if (byte === QUOTE) {
        isInString = true;
        tracker.beginString();
      } else if (byte === COLON) tracker.endName();
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        if (tracker.open(byte)) {
          rest.add(chunk.subarray(start, at + 1));
          start = at + 1;
        }
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        if (tracker.isBetweenItems()) {
          flush(at);
          yield* takeItem();
        }
        tracker.close();
      } else if (byte === COMMA && tracker.isBetweenItems()) {
        flush(at);
        yield* takeItem();
        start = at + 1;
      } else if (!isSpace(byte)) tracker.passValue();
      else if (tracker.isBetweenItems() && item.isEmpty() && start === at) start = at + 1;
    }
    flush(chunk.length);
    if (rest.isOver()) throw new UnreadableJson('too long around its items');
  }

  function* takeItem(): Generator<ItemText> {
    if (item.isEmpty()) return;
    const isOver = item.isOver();
    const text = item.take();
    yield isOver ? undefined : text;
  }

  return {
    /** Returns the items that end in the chunk. */
    push: (chunk: Uint8Array): ItemText[] => [...split(chunk)],
    /** Returns the rest at the end of the text. */
    end(): Uint8Array {
      if (!tracker.isClosed() || isInString) throw new UnreadableJson('ended too early');
      return rest.take();
    },
  };
}
