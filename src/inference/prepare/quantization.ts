import { findConvolution, findOnlyConsumer, link, type Links } from './channel-scaling.ts';
import type { EditableGraph, GraphNode } from './editable-graph.ts';
import {
  type Encoding,
  newQuantizedValues,
  type QuantizedValues,
  type Ranges,
} from './quantized-values.ts';
import { quantizeWeights } from './quantized-weights.ts';

// Operations are written as floats between DequantizeLinear and QuantizeLinear (QDQ). ONNX Runtime replaces the three by
// one that computes in integers, and keeps channels last between them.

/** The first version of ONNX in which DequantizeLinear has a scale for each channel. */
const MIN_OPSET = 13;

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

/** Operations on computed values that ONNX Runtime has in integers. */
const OPERATIONS = new Set(['Add', 'Concat', 'GlobalAveragePool', 'Mul']);

type Context = {
  readonly graph: EditableGraph;
  /** Links of the graph as it was. */
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
  if (node.operation === 'Concat')
    return joinStored(context, node) ?? quantizeOperation(context, node);
  if (OPERATIONS.has(node.operation)) return quantizeOperation(context, node);
  return MOVES.has(node.operation) ? quantizeMove(context, node) : [];
}

/** Returns whether the node only limits values, to an interval that holds 0 as each encoding does. */
const isLimit = (graph: EditableGraph, { operation, inputs }: GraphNode): boolean =>
  operation === 'Relu' ||
  (operation === 'Clip' && (graph.findConstant(inputs[1])?.values[0] ?? 1) <= 0);

/** Returns the node whose result is stored. Encodings limit values to their range. */
function findEnd({ graph, links, values }: Context, node: GraphNode) {
  const next = findOnlyConsumer(graph, links, node.outputs[0]);
  const end = next && isLimit(graph, next) ? next : node;
  const [output = ''] = end.outputs;
  return {
    nodes: end === node ? [node] : [node, end],
    output,
    encoding: values.findEncoding(output),
  };
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

function quantizeOperation(context: Context, node: GraphNode): readonly GraphNode[] {
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

/** Joins values of one encoding as they are stored; undefined for others. */
function joinStored({ graph, values }: Context, node: GraphNode): readonly GraphNode[] | undefined {
  const [output = ''] = node.outputs;
  const inputs = node.inputs.flatMap((input) => values.find(input) ?? []);
  const [first] = inputs;
  if (!first || inputs.length < node.inputs.length) return undefined;
  const isOne = inputs.every(({ scale, zero }) => scale === first.scale && zero === first.zero);
  if (!isOne) return undefined;
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
