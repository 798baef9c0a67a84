import { requireValue } from '../../core/required.ts';
import { attribute, type Attribute } from '../onnx/graph.ts';
import { memorySource, newMessage, readFields, type Source, toBytes } from '../onnx/protobuf.ts';

// Field numbers of onnx.proto.
const MODEL = { graph: 7, opset: 8 } as const;
const GRAPH = { node: 1, initializer: 5, output: 12, valueInfo: 13 } as const;
const NODE = { input: 1, output: 2, operation: 4, attribute: 5 } as const;
const ATTRIBUTE = { name: 1, float: 2, integer: 3, tensor: 5, graph: 6, integers: 8 } as const;
const TENSOR = { dims: 1, type: 2, name: 8, raw: 9 } as const;
const OPSET = { domain: 1, version: 2 } as const;
const FLOAT = 1;

/** Integers of 8 and 32 bits, as quantised models have them. */
export type Integers = Uint8Array | Int8Array | Int32Array;

export type GraphNode = {
  readonly operation: string;
  inputs: string[];
  outputs: string[];
  /** The other fields of its message, as they are in the file. */
  readonly fields: Uint8Array;
};

export type Tensor = { readonly dims: readonly number[]; readonly values: Float32Array };

/** The graph of an ONNX file, whose nodes may be changed, removed and added, in topological order. */
export type EditableGraph = {
  readonly nodes: GraphNode[];
  /** Names of the results of the model, in order. */
  outputs: readonly string[];
  /** Version of ONNX's own operations. */
  opset: number;
  /** Whether a node has a graph of its own, which may read any value of this one. */
  readonly hasSubgraphs: boolean;
  /** Returns a constant of 32-bit floats; undefined for every other name. */
  findConstant(name: string | undefined): Tensor | undefined;
  /** Adds a constant and returns its name. The array must not be changed afterwards. */
  addConstant(values: ArrayLike<number>, dims: readonly number[]): string;
  /** Adds a constant of the type of its array and returns its name. */
  addIntegers(values: Integers, dims: readonly number[]): string;
  /** Returns the file of the graph as it is now. */
  finish(): Uint8Array;
};

/** Makes an equal graph. Returns false where it leaves the graph as it is. */
export type Rewrite = (graph: EditableGraph) => boolean;

/** Returns the rewritten model; the same where nothing is rewritten. */
export function rewriteModel(model: Uint8Array, rewrite: Rewrite): Uint8Array {
  const graph = parseGraph(model);
  return rewrite(graph) ? graph.finish() : model;
}

/** Throws on what is no ONNX model. */
export function parseGraph(model: Uint8Array): EditableGraph {
  const source = memorySource(model);
  const rest: Uint8Array[] = [];
  let opset = 0;
  let graph: { readonly start: number; readonly end: number } | undefined;
  for (const { bytes, ...field } of readParts(source, 0, model.length)) {
    const version = field.field === MODEL.opset ? readOpset(source, field) : 0;
    opset = Math.max(opset, version);
    if (field.field === MODEL.graph) graph = field;
    else if (version === 0) rest.push(bytes);
  }
  const { start, end } = requireValue(graph, 'graph of the model');
  const nodes: GraphNode[] = [];
  const constants = new Map<string, () => Tensor | undefined>();
  /** Messages of the constants that are not those of nodes. */
  const initializers = new Map<string, readonly Uint8Array[]>();
  const outputs = new Map<string, Uint8Array>();
  const others: Uint8Array[] = [];
  for (const { bytes, ...field } of readParts(source, start, end)) {
    if (field.field === GRAPH.node) nodes.push(readNode(source, field));
    else if (field.field === GRAPH.initializer) {
      const name = readText(source, field, TENSOR.name);
      initializers.set(name, [bytes]);
      constants.set(name, () => readTensor(source, field));
    } else if (field.field === GRAPH.output) outputs.set(readText(source, field, 1), bytes);
    // They are inferred again.
    else if (field.field !== GRAPH.valueInfo) others.push(bytes);
  }
  for (const node of nodes) {
    if (node.operation === 'Constant') {
      constants.set(node.outputs[0] ?? '', () => readConstantNode(node));
    }
  }
  let count = 0;
  const add = (values: Float32Array | Integers, dims: readonly number[]): string => {
    // A model may have been rewritten before.
    while (initializers.has(`rewritten_constant_${count}`)) count++;
    const name = `rewritten_constant_${count}`;
    const tensor = newMessage();
    for (const dim of dims) tensor.int(TENSOR.dims, dim);
    tensor.int(TENSOR.type, getElementType(values)).text(TENSOR.name, name);
    tensor.bytes(TENSOR.raw, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    initializers.set(name, newMessage().message(GRAPH.initializer, tensor).parts());
    return name;
  };
  return {
    nodes,
    outputs: [...outputs.keys()],
    opset,
    hasSubgraphs: nodes.some(hasSubgraph),
    findConstant: (name) => constants.get(name ?? '')?.(),
    addConstant(values, dims) {
      const floats = values instanceof Float32Array ? values : Float32Array.from(values);
      const name = add(floats, dims);
      constants.set(name, () => ({ dims, values: floats }));
      return name;
    },
    addIntegers: add,
    finish() {
      const body = newMessage();
      for (const node of nodes) body.bytes(GRAPH.node, writeNode(node));
      body.encoded(others);
      const used = new Set(nodes.flatMap(({ inputs }) => inputs));
      for (const [name, parts] of initializers) if (used.has(name)) body.encoded(parts);
      for (const name of this.outputs) {
        const output = outputs.get(name);
        if (output) body.encoded([output]);
        // Types of new results are inferred.
        else body.message(GRAPH.output, newMessage().text(1, name));
      }
      const operations = newMessage().text(OPSET.domain, '').int(OPSET.version, this.opset);
      const model = newMessage().encoded(rest).message(MODEL.graph, body);
      return toBytes(model.message(MODEL.opset, operations));
    },
  };
}

export function createNode(
  operation: string,
  inputs: readonly string[],
  output: string,
  attributes: Readonly<Record<string, Attribute>> = {},
): GraphNode {
  const fields = newMessage().text(NODE.operation, operation);
  for (const [key, value] of Object.entries(attributes)) {
    fields.message(NODE.attribute, attribute(key, value));
  }
  return { operation, inputs: [...inputs], outputs: [output], fields: toBytes(fields) };
}

/** Returns an attribute that is a number or a list of integers; undefined where the node has none. */
export function readNumbers({ fields }: GraphNode, name: string): readonly number[] | undefined {
  const source = memorySource(fields);
  for (const one of readFields(source)) {
    if (one.field !== NODE.attribute || readText(source, one, ATTRIBUTE.name) !== name) continue;
    const numbers: number[] = [];
    for (const { field, value, start, end } of readFields(source, one.start, one.end)) {
      if (field === ATTRIBUTE.float) numbers.push(readFloat(fields, start));
      else if (field === ATTRIBUTE.integer) numbers.push(value);
      else if (field === ATTRIBUTE.integers) {
        numbers.push(...(start === end ? [value] : readPacked(fields.subarray(start, end))));
      }
    }
    return numbers;
  }
  return undefined;
}

function getElementType(values: Float32Array | Integers): number {
  if (values instanceof Uint8Array) return 2;
  if (values instanceof Int8Array) return 3;
  return values instanceof Int32Array ? 6 : FLOAT;
}

function hasSubgraph({ fields }: GraphNode): boolean {
  const source = memorySource(fields);
  return readFields(source).some(
    (one) =>
      one.field === NODE.attribute &&
      readFields(source, one.start, one.end).some(({ field }) => field === ATTRIBUTE.graph),
  );
}

type Range = { readonly start: number; readonly end: number };

/** The fields between two places, each with the bytes of its tag. */
function* readParts(source: Source, start: number, end: number) {
  let at = start;
  for (const field of readFields(source, start, end)) {
    yield { ...field, bytes: source.read(at, field.end - at) };
    at = field.end;
  }
}

function readNode(source: Source, { start, end }: Range): GraphNode {
  const [inputs, outputs, fields]: [string[], string[], Uint8Array[]] = [[], [], []];
  for (const { field, bytes, ...range } of readParts(source, start, end)) {
    if (field === NODE.input) inputs.push(toText(source, range));
    else if (field === NODE.output) outputs.push(toText(source, range));
    else fields.push(bytes);
  }
  const operation = readText(source, { start, end }, NODE.operation);
  return { operation, inputs, outputs, fields: Buffer.concat(fields) };
}

function writeNode({ inputs, outputs, fields }: GraphNode): Uint8Array {
  const message = newMessage();
  for (const name of inputs) message.text(NODE.input, name);
  for (const name of outputs) message.text(NODE.output, name);
  return Buffer.concat([toBytes(message), fields]);
}

function readTensor(source: Source, { start, end }: Range): Tensor | undefined {
  const dims: number[] = [];
  let type = 0;
  let raw: Uint8Array | undefined;
  for (const { field, value, ...range } of readFields(source, start, end)) {
    if (field === TENSOR.type) type = value;
    else if (field === TENSOR.raw) raw = source.read(range.start, range.end - range.start);
    else if (field === TENSOR.dims) {
      const { start: from, end: to } = range;
      dims.push(...(from === to ? [value] : readPacked(source.read(from, to - from))));
    }
  }
  if (type !== FLOAT || !raw) return undefined;
  return { dims, values: new Float32Array(new Uint8Array(raw).buffer) };
}

function readConstantNode({ fields }: GraphNode): Tensor | undefined {
  const source = memorySource(fields);
  for (const one of readFields(source)) {
    if (one.field !== NODE.attribute) continue;
    for (const inner of readFields(source, one.start, one.end)) {
      if (inner.field === ATTRIBUTE.tensor) return readTensor(source, inner);
    }
  }
  return undefined;
}

/** Returns the version of a set of operations; 0 for those of others. */
function readOpset(source: Source, { start, end }: Range): number {
  let version = 0;
  for (const { field, value, ...range } of readFields(source, start, end)) {
    if (field === OPSET.domain && range.end > range.start) return 0;
    if (field === OPSET.version) version = value;
  }
  return version;
}

function readText(source: Source, { start, end }: Range, wanted: number): string {
  for (const { field, ...range } of readFields(source, start, end)) {
    if (field === wanted) return toText(source, range);
  }
  return '';
}

const toText = (source: Source, { start, end }: Range): string =>
  new TextDecoder().decode(source.read(start, end - start));

/** Reads varints that follow each other, as writers of Protocol Buffers 3 have lists of integers. */
function readPacked(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let [value, scale] = [0, 1];
  for (const byte of bytes) {
    value += (byte & 127) * scale;
    scale *= 128;
    if (byte >= 128) continue;
    numbers.push(value);
    [value, scale] = [0, 1];
  }
  return numbers;
}

const readFloat = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getFloat32(at, true);
