import { type FlatBuffer, readFlatBuffer } from './flatbuffer.ts';

/** By the numbers of the TFLite schema. */
export type TensorType = 'float32' | 'float16' | 'int32' | 'uint8' | 'int64' | 'int8' | 'other';
const TENSOR_TYPES: Readonly<Record<number, TensorType>> = {
  0: 'float32',
  1: 'float16',
  2: 'int32',
  3: 'uint8',
  4: 'int64',
  9: 'int8',
};

export type Tensor = {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: TensorType;
  /** Empty for what is computed. */
  readonly data: Uint8Array;
  /** Empty for what is not quantised; one for all, or one per slice of `axis`. */
  readonly scales: readonly number[];
  readonly zeros: readonly number[];
  readonly axis: number;
};

export type Operator = {
  readonly code: number;
  /** The name of an operator that is no part of TFLite itself. */
  readonly customName: string;
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly options: Options;
};

/** The settings of an operator, by the numbers of their fields; what is absent has its default. */
export type Options = {
  int8(field: number, initial?: number): number;
  int32(field: number, initial?: number): number;
  boolean(field: number): boolean;
};

export type TfliteModel = {
  readonly tensors: readonly Tensor[];
  readonly operators: readonly Operator[];
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
};

/** The first subgraph of a TFLite file. Throws on what is none. */
export function readTflite(bytes: Uint8Array): TfliteModel {
  if (new TextDecoder().decode(bytes.subarray(4, 8)) !== 'TFL3') {
    throw new Error('Not a TFLite model');
  }
  const file = readFlatBuffer(bytes);
  const root = file.root();
  const codes = file.tables(root, 1).map((code) => ({
    // The second field took over when the numbers no longer fitted the first.
    code: Math.max(file.int8(code, 0) & 255, file.int32(code, 3)),
    customName: file.text(code, 1),
  }));
  const buffers = file.tables(root, 4);
  const graph = file.tables(root, 2)[0];
  if (graph === undefined) throw new Error('The TFLite model has no graph');
  return {
    tensors: file.tables(graph, 0).map((at) => readTensor(file, at, buffers)),
    operators: file.tables(graph, 3).map((at) => {
      const code = codes[file.uint32(at, 0)];
      if (!code) throw new Error('The TFLite model has an operator without a code');
      const options = readOptions(file, file.table(at, 4));
      return { ...code, inputs: file.int32s(at, 1), outputs: file.int32s(at, 2), options };
    }),
    inputs: file.int32s(graph, 1),
    outputs: file.int32s(graph, 2),
  };
}

function readTensor(file: FlatBuffer, at: number, buffers: readonly number[]): Tensor {
  const quantisation = file.table(at, 4);
  const buffer = buffers[file.uint32(at, 2)];
  return {
    name: file.text(at, 3),
    shape: file.int32s(at, 0),
    type: TENSOR_TYPES[file.int8(at, 1)] ?? 'other',
    data: buffer === undefined ? new Uint8Array(0) : file.bytes(buffer, 0),
    scales: quantisation ? file.floats(quantisation, 2) : [],
    zeros: quantisation ? file.int64s(quantisation, 3) : [],
    axis: quantisation ? file.int32(quantisation, 6) : 0,
  };
}

const readOptions = (file: FlatBuffer, table: number): Options => ({
  int8: (field, initial = 0) => (table ? file.int8(table, field, initial) : initial),
  int32: (field, initial = 0) => (table ? file.int32(table, field, initial) : initial),
  boolean: (field) => table !== 0 && file.boolean(table, field),
});

export const countElements = (shape: readonly number[]): number =>
  shape.reduce((all, dim) => all * dim, 1);

/** The numbers of a constant, made whole again where they were quantised. */
export function toValues({ data, type, shape, scales, zeros, axis, name }: Tensor): Float32Array {
  const count = countElements(shape);
  const raw = rawValues(data, type, count);
  if (!raw) throw new Error(`The constant ${name} has a type that is not known`);
  if (scales.length === 0 || type === 'float32' || type === 'float16') return raw;
  const inner = countElements(shape.slice(axis + 1));
  return raw.map((value, index) => {
    const slice = scales.length > 1 ? Math.floor(index / inner) % scales.length : 0;
    return (value - (zeros[zeros.length > 1 ? slice : 0] ?? 0)) * (scales[slice] ?? Number.NaN);
  });
}

function rawValues(data: Uint8Array, type: TensorType, count: number): Float32Array | undefined {
  // Aligned: the buffers of a file start anywhere.
  const { buffer } = new Uint8Array(data);
  switch (type) {
    case 'float32':
      return new Float32Array(buffer, 0, count);
    case 'float16':
      return Float32Array.from(new Float16Array(buffer, 0, count));
    case 'int32':
      return Float32Array.from(new Int32Array(buffer, 0, count));
    case 'uint8':
      return Float32Array.from(new Uint8Array(buffer, 0, count));
    case 'int8':
      return Float32Array.from(new Int8Array(buffer, 0, count));
    case 'int64':
      return Float32Array.from(new BigInt64Array(buffer, 0, count), Number);
    case 'other':
      return undefined;
  }
}
