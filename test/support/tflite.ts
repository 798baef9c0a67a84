// Writes TFLite files: FlatBuffers, from the end to the start, as far as tests need them.

/** Grows backwards: what is referred to is written first, and offsets point forward. */
function newBuilder() {
  let bytes = new Uint8Array(0);
  /** Positions are counted from the end, which does not move. */
  const length = () => bytes.length;
  const prepend = (part: Uint8Array, align = 4) => {
    const total = bytes.length + part.length;
    const padding = (align - (total % align)) % align;
    const next = new Uint8Array(total + padding);
    next.set(part);
    next.set(bytes, part.length + padding);
    // The padding lies behind the part, where it changes no alignment before it.
    bytes = next;
    return bytes.length;
  };
  return { prepend, length, bytes: () => bytes };
}

type Builder = ReturnType<typeof newBuilder>;

const int32 = (value: number) => new Uint8Array(Int32Array.of(value).buffer);
const join = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

const vector = (builder: Builder, count: number, body: Uint8Array) =>
  builder.prepend(join(int32(count), body));
const ints = (builder: Builder, values: readonly number[]) =>
  vector(builder, values.length, new Uint8Array(Int32Array.from(values).buffer));
const text = (builder: Builder, value: string) =>
  vector(builder, value.length, join(new TextEncoder().encode(value), new Uint8Array(1)));

/** Offsets are from their own place to what they name. */
function offsets(builder: Builder, targets: readonly number[]) {
  const start = builder.length() + 4 + targets.length * 4;
  const body = targets.map((target, at) => int32(start - 4 - at * 4 - target));
  return vector(builder, targets.length, join(...body));
}

type Value = { readonly offset: number } | { readonly int: number } | { readonly byte: number };

/** Every value takes four bytes: simple, and aligned. */
function table(builder: Builder, fields: Readonly<Record<number, Value>>): number {
  const numbers = Object.keys(fields).map(Number);
  const count = Math.max(-1, ...numbers) + 1;
  const size = 4 + numbers.length * 4;
  const layoutBytes = Math.ceil((4 + count * 2) / 4) * 4;
  const layout = new Uint16Array(layoutBytes / 2);
  layout[0] = 4 + count * 2;
  layout[1] = size;
  const place = builder.length() + size;
  const body = numbers.map((field, at) => {
    layout[2 + field] = 4 + at * 4;
    const value = fields[field]!;
    if ('offset' in value) return int32(place - 4 - at * 4 - value.offset);
    return int32('int' in value ? value.int : value.byte);
  });
  // The layout comes right before the table.
  const whole = join(new Uint8Array(layout.buffer), int32(layoutBytes), ...body);
  builder.prepend(whole);
  return place;
}

const off = (offset: number): Value => ({ offset });
const int = (value: number): Value => ({ int: value });

/**
 * A picture of 4 x 4 with two channels, a convolution of 1 x 1 with weights of int8, ReLU6, a
 * reshape to 32 numbers.
 */
export function smallTflite(): Uint8Array {
  const builder = newBuilder();
  const buffer = (data: Uint8Array) =>
    table(builder, { 0: off(vector(builder, data.length, data)) });
  const empty = table(builder, {});
  // Two outputs: the channels swapped, the first doubled. Quantised by a half.
  const weights = buffer(new Uint8Array(Int8Array.of(0, 2, 4, 0).buffer));
  const bias = buffer(new Uint8Array(Float32Array.of(0, -1).buffer));
  const buffers = offsets(builder, [empty, weights, bias]);

  const tensor = (
    name: string,
    shape: readonly number[],
    type: number,
    from: number,
    scale?: number,
  ) => {
    const nameAt = text(builder, name);
    const shapeAt = ints(builder, shape);
    const quantisation =
      scale === undefined
        ? undefined
        : table(builder, {
            2: off(vector(builder, 1, new Uint8Array(Float32Array.of(scale).buffer))),
          });
    return table(builder, {
      0: off(shapeAt),
      1: int(type),
      2: int(from),
      3: off(nameAt),
      ...(quantisation === undefined ? {} : { 4: off(quantisation) }),
    });
  };
  const tensors = offsets(builder, [
    tensor('picture', [1, 4, 4, 2], 0, 0),
    tensor('weights', [2, 1, 1, 2], 9, 1, 0.5),
    tensor('bias', [2], 0, 2),
    tensor('swapped', [1, 4, 4, 2], 0, 0),
    tensor('flat', [1, 32], 0, 0),
  ]);

  const operator = (
    code: number,
    inputs: readonly number[],
    outputs: readonly number[],
    options: number,
  ) => {
    const inputsAt = ints(builder, inputs);
    const outputsAt = ints(builder, outputs);
    return table(builder, {
      0: int(code),
      1: off(inputsAt),
      2: off(outputsAt),
      4: off(options),
    });
  };
  // Strides 1 and 1, activation ReLU6.
  const convolution = table(builder, { 1: int(1), 2: int(1), 3: int(3) });
  const operators = offsets(builder, [
    operator(0, [0, 1, 2], [3], convolution),
    operator(1, [3], [4], table(builder, {})),
  ]);
  const graphInputs = ints(builder, [0]);
  const graphOutputs = ints(builder, [4]);
  const graph = table(builder, {
    0: off(tensors),
    1: off(graphInputs),
    2: off(graphOutputs),
    3: off(operators),
  });
  const graphs = offsets(builder, [graph]);
  const codes = offsets(builder, [
    table(builder, { 0: int(3), 3: int(3) }),
    table(builder, { 0: int(22), 3: int(22) }),
  ]);
  const model = table(builder, { 0: int(3), 1: off(codes), 2: off(graphs), 4: off(buffers) });
  const total = builder.length() + 8;
  return join(int32(total - model), new TextEncoder().encode('TFL3'), builder.bytes());
}
