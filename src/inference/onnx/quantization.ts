import {
  type Convolution,
  findConvolution,
  findOnlyConsumer,
  link,
  type Links,
} from './channel-scaling.ts';
import { createNode, type EditableGraph, type GraphNode } from './editable-graph.ts';
import {
  type Encoding,
  newQuantizedValues,
  type QuantizedValues,
  type Ranges,
} from './quantized-values.ts';

// Operations are written as floats between DequantizeLinear and QuantizeLinear (QDQ). ONNX Runtime replaces the three by
// one that computes in integers, and keeps channels last between them.

/** The first version of ONNX in which DequantizeLinear has a scale for each channel. */
const MIN_OPSET = 13;
const MOST_WEIGHT = 127;
const MOST_BIAS = 2 ** 30;

/** Operations that select, move or rename values of their first input. */
const MOVES = new Set([
  'Gather',
  'Identity',
  'MaxPool',
  'ReduceMax',
  'Reshape',
  'Resize',
  'Transpose',
]);

type Context = {
  readonly graph: EditableGraph;
  /** Those of the graph as it was. */
  readonly links: Links;
  readonly values: QuantizedValues;
};

/**
 * Rewrites a graph to compute in integers of 8 bits: each operation that has operands and a result with a range, and is
 * known. Weights are quantised for each channel, other values as a whole.
 */
export function quantize(graph: EditableGraph, ranges: Ranges): void {
  const nodes = graph.nodes.slice();
  const context = { graph, links: link(graph), values: newQuantizedValues(graph, ranges) };
  graph.opset = Math.max(graph.opset, MIN_OPSET);
  graph.nodes.length = 0;
  const done = new Set<GraphNode>();
  for (const node of nodes) {
    if (done.has(node)) continue;
    const replaced = quantizeNode(context, node);
    for (const one of replaced) done.add(one);
    if (replaced.length > 0) continue;
    for (const input of node.inputs) context.values.requireFloats(input);
    graph.nodes.push(node);
  }
  for (const output of graph.outputs) context.values.requireFloats(output);
}

/** Adds the operation in integers. Returns the nodes that it stands for; none where it stays as it is. */
function quantizeNode(context: Context, node: GraphNode): readonly GraphNode[] {
  if (node.operation === 'Conv') return quantizeConvolution(context, node);
  if (node.operation === 'Add') return quantizeSum(context, node);
  if (node.operation === 'Concat') return quantizeConcat(context, node);
  return MOVES.has(node.operation) ? quantizeMove(context, node) : [];
}

/** Returns the node whose result is stored. Encodings limit values to their range, as ReLU6 does. */
function findEnd({ graph, links, values }: Context, node: GraphNode) {
  const next = findOnlyConsumer(graph, links, node.outputs[0]);
  const end = next?.operation === 'Clip' ? next : node;
  const [output = ''] = end.outputs;
  return { nodes: end === node ? [node] : [node, end], output, encoding: values.findEncoding(output) };
}

function quantizeConvolution(context: Context, node: GraphNode): readonly GraphNode[] {
  const { graph, values } = context;
  const { nodes, output, encoding } = findEnd(context, node);
  const convolution = encoding && findConvolution(graph, node);
  const input = convolution && values.find(node.inputs[0]);
  if (!input) return [];
  const operands = [values.toFloats(input), ...quantizeWeights(graph, convolution, input)];
  return replaceNode(context, { node, nodes, output, encoding, operands });
}

function quantizeSum(context: Context, node: GraphNode): readonly GraphNode[] {
  const { values } = context;
  const { nodes, output, encoding } = findEnd(context, node);
  if (!encoding) return [];
  const inputs = node.inputs.flatMap((input) => values.find(input) ?? []);
  if (inputs.length < node.inputs.length) return [];
  const operands = inputs.map((input) => values.toFloats(input));
  return replaceNode(context, { node, nodes, output, encoding, operands });
}

type Replacement = {
  readonly node: GraphNode;
  readonly nodes: readonly GraphNode[];
  readonly output: string;
  readonly encoding: Encoding;
  readonly operands: string[];
};

function replaceNode(
  { graph, values }: Context,
  { node, nodes, output, encoding, operands }: Replacement,
): readonly GraphNode[] {
  node.inputs = operands;
  node.outputs = [`${output}_computed`];
  graph.nodes.push(node);
  values.add(output, `${output}_computed`, encoding);
  return nodes;
}

/** Joins values of one encoding. */
function quantizeConcat({ graph, values }: Context, node: GraphNode): readonly GraphNode[] {
  const [output = ''] = node.outputs;
  const inputs = node.inputs.flatMap((input) => values.find(input) ?? []);
  const [first] = inputs;
  if (!first || inputs.length < node.inputs.length) return [];
  if (inputs.some(({ scale, zero }) => scale !== first.scale || zero !== first.zero)) return [];
  node.inputs = inputs.map(({ name }) => name);
  node.outputs = [`${output}_quantized`];
  graph.nodes.push(node);
  values.define(output, { ...first, name: `${output}_quantized` });
  return [node];
}

function quantizeMove({ graph, values }: Context, node: GraphNode): readonly GraphNode[] {
  const [output = ''] = node.outputs;
  const input = values.find(node.inputs[0]);
  if (!input) return [];
  node.inputs = [input.name, ...node.inputs.slice(1)];
  node.outputs = [`${output}_quantized`];
  graph.nodes.push(node);
  values.define(output, { ...input, name: `${output}_quantized` });
  return [node];
}

/** Returns the names of weights and bias as floats, each from integers with a scale for each channel. */
function quantizeWeights(
  graph: EditableGraph,
  { node, channels, dims, weights, bias }: Convolution,
  input: Encoding,
): string[] {
  const size = weights.length / channels;
  const scales = new Float32Array(channels);
  const integers = new Int8Array(weights.length);
  const offsets = new Int32Array(channels);
  for (let channel = 0; channel < channels; channel++) {
    const [start, end] = [channel * size, (channel + 1) * size];
    let most = 0;
    for (let at = start; at < end; at++) most = Math.max(most, Math.abs(weights[at]!));
    // Not so small that the bias does not fit.
    const least = Math.abs(bias[channel]!) / input.scale / MOST_BIAS;
    scales[channel] = Math.max(most / MOST_WEIGHT, least) || 1;
    const scale = scales[channel]!;
    for (let at = start; at < end; at++) integers[at] = Math.round(weights[at]! / scale);
    offsets[channel] = Math.round(bias[channel]! / (input.scale * scale));
  }
  const names = [addDequantized(graph, integers, dims, scales)];
  if (node.inputs.length > 2) {
    const ofSums = scales.map((scale) => scale * input.scale);
    names.push(addDequantized(graph, offsets, [channels], ofSums));
  }
  return names;
}

function addDequantized(
  graph: EditableGraph,
  integers: Int8Array | Int32Array,
  dims: readonly number[],
  scales: Float32Array,
): string {
  const channels = [scales.length];
  const zeros =
    integers instanceof Int8Array ? new Int8Array(scales.length) : new Int32Array(scales.length);
  const name = graph.addIntegers(integers, dims);
  const inputs = [name, graph.addConstant(scales, channels), graph.addIntegers(zeros, channels)];
  graph.nodes.push(createNode('DequantizeLinear', inputs, `${name}_floats`, { axis: 0 }));
  return `${name}_floats`;
}
