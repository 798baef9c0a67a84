import { getFirst } from '../../core/required.ts';
import { type Message, newMessage, toBytes } from './protobuf.ts';

// Field numbers of onnx.proto.
const TYPE = { float: 1, int32: 6, int64: 7, bool: 9 } as const;
const OPSET = 13;
const IR_VERSION = 8;

export type ElementType = keyof typeof TYPE;
/** A number is an axis of fixed length, a text one that may differ from run to run. */
export type Shape = readonly (number | string)[];
export type Attribute = number | readonly number[] | string | { readonly float: number };

/** Builder of an ONNX graph. Values are named. */
export type Graph = {
  /** Returns an unused name. */
  name(prefix?: string): string;
  /** Adds an operation and returns the name of its first output. */
  node(
    operation: string,
    inputs: readonly string[],
    options?: {
      readonly outputs?: readonly string[];
      readonly attributes?: Readonly<Record<string, Attribute>>;
    },
  ): string;
  floats(values: Float32Array | readonly number[], shape?: readonly number[]): string;
  integers(values: readonly number[]): string;
  input(name: string, shape: Shape, type?: ElementType): void;
  output(name: string, shape: Shape, type?: ElementType): void;
  /** Returns the file; the same calls give the same bytes. */
  finish(): Uint8Array;
};

export function newGraph(): Graph {
  const nodes = newMessage();
  const constants = newMessage();
  const inputs = newMessage();
  const outputs = newMessage();
  let count = 0;
  const name = (prefix = 'v') => `${prefix}_${count++}`;

  function constant(type: ElementType, dims: readonly number[], data: ArrayBufferView): string {
    const tensor = newMessage();
    for (const dim of dims) tensor.int(1, dim);
    const id = name('c');
    tensor.int(2, TYPE[type]).text(8, id);
    tensor.bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    constants.message(5, tensor);
    return id;
  }

  return {
    name,
    node(operation, from, { outputs: given, attributes = {} } = {}) {
      const to = given ?? [name()];
      const node = newMessage();
      for (const input of from) node.text(1, input);
      for (const output of to) node.text(2, output);
      node.text(3, name(operation)).text(4, operation);
      for (const [key, value] of Object.entries(attributes)) node.message(5, attribute(key, value));
      nodes.message(1, node);
      return getFirst(to);
    },
    floats(values, shape) {
      const data = values instanceof Float32Array ? values : Float32Array.from(values);
      return constant('float', shape ?? [data.length], data);
    },
    integers: (values) =>
      constant('int64', [values.length], BigInt64Array.from(values.map((value) => BigInt(value)))),
    input: (id, shape, type) => void inputs.message(11, valueInfo(id, shape, type)),
    output: (id, shape, type) => void outputs.message(12, valueInfo(id, shape, type)),
    finish() {
      const graph = newMessage().append(nodes).text(2, 'graph');
      graph.append(constants).append(inputs).append(outputs);
      const opset = newMessage().text(1, '').int(2, OPSET);
      const model = newMessage().int(1, IR_VERSION).text(2, 'safelight');
      return toBytes(model.message(7, graph).message(8, opset));
    },
  };
}

export function attribute(key: string, value: Attribute): Message {
  const message = newMessage().text(1, key);
  if (typeof value === 'string') return message.text(4, value).int(20, 3);
  if (typeof value === 'number') return message.int(3, value).int(20, 2);
  if ('float' in value) return message.float(2, value.float).int(20, 1);
  for (const item of value) message.int(8, item);
  return message.int(20, 7);
}

function valueInfo(name: string, shape: Shape, type: ElementType = 'float'): Message {
  const dims = newMessage();
  for (const dim of shape) {
    dims.message(1, typeof dim === 'number' ? newMessage().int(1, dim) : newMessage().text(2, dim));
  }
  const tensor = newMessage().int(1, TYPE[type]).message(2, dims);
  return newMessage().text(1, name).message(2, newMessage().message(1, tensor));
}
