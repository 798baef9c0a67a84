// The wire format of Protocol Buffers, as far as ONNX files need it.

const TEXT = new TextEncoder();

/** Builds one message; fields come out in the order they were added. */
export type Message = {
  int(field: number, value: number): Message;
  float(field: number, value: number): Message;
  text(field: number, value: string): Message;
  bytes(field: number, value: Uint8Array): Message;
  message(field: number, value: Message): Message;
  /** The fields of another message, as if they had been added here. */
  append(other: Message): Message;
  /** The same for fields that are encoded already, which are not copied. */
  encoded(parts: readonly Uint8Array[]): Message;
  parts(): readonly Uint8Array[];
  size(): number;
};

export function newMessage(): Message {
  const chunks: Uint8Array[] = [];
  let total = 0;
  const push = (chunk: Uint8Array) => {
    chunks.push(chunk);
    total += chunk.length;
  };
  const tag = (field: number, wire: number) => push(varint((field << 3) | wire));
  const self: Message = {
    int(field, value) {
      tag(field, 0);
      push(varint(value));
      return self;
    },
    float(field, value) {
      tag(field, 5);
      push(new Uint8Array(Float32Array.of(value).buffer));
      return self;
    },
    text: (field, value) => self.bytes(field, TEXT.encode(value)),
    bytes(field, value) {
      tag(field, 2);
      push(varint(value.length));
      push(value);
      return self;
    },
    message(field, value) {
      tag(field, 2);
      push(varint(value.size()));
      return self.append(value);
    },
    append: (other) => self.encoded(other.parts()),
    encoded(parts) {
      for (const part of parts) push(part);
      return self;
    },
    parts: () => chunks,
    size: () => total,
  };
  return self;
}

export function toBytes(message: Message): Uint8Array {
  const bytes = new Uint8Array(message.size());
  let at = 0;
  for (const part of message.parts()) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * Integers below 0 have 64 bits, as two's complement. Not by BigInt: Bun 1.4.4 aborts now and then when it compiles
 * BigInt.asUintN.
 */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127 || (rest < 0 && bytes.length < LONGEST_VARINT - 1)) {
    const next = Math.floor(rest / 128);
    bytes.push((rest - next * 128) | 128);
    rest = next;
  }
  bytes.push(rest < 0 ? 1 : rest);
  return Uint8Array.from(bytes);
}

const LONGEST_VARINT = 10;

/** Where bytes are read from: a file that is too large to be read as a whole, or memory. */
export type Source = {
  readonly size: number;
  read(at: number, length: number): Uint8Array;
};

export type Field = {
  readonly field: number;
  /** Value of a varint field. */
  readonly value: number;
  /** Byte range of a length-delimited field. */
  readonly start: number;
  readonly end: number;
};

/** The fields between two places, without reading what they hold. Throws on what is no message. */
export function* readFields(source: Source, start = 0, end = source.size): Generator<Field> {
  let at = start;
  /** Bytes from `from` on. */
  let header: Uint8Array = new Uint8Array();
  let from = start;
  const next = (): number => {
    let value = 0;
    let scale = 1;
    for (let index = at - from; index < header.length; index++) {
      const byte = header[index] ?? 0;
      at += 1;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
    throw new Error('Not a Protocol Buffers message');
  };
  while (at < end) {
    from = at;
    header = source.read(at, Math.min(2 * LONGEST_VARINT, end - at));
    const key = next();
    const field = Math.floor(key / 8);
    const wire = key % 8;
    if (wire === 0) {
      yield { field, value: next(), start: at, end: at };
      continue;
    }
    const length = wire === 2 ? next() : wire === 5 ? 4 : wire === 1 ? 8 : -1;
    if (length < 0 || at + length > end) throw new Error('Not a Protocol Buffers message');
    yield { field, value: 0, start: at, end: at + length };
    at += length;
  }
}

export const memorySource = (bytes: Uint8Array): Source => ({
  size: bytes.length,
  read: (at, length) => bytes.subarray(at, at + length),
});
