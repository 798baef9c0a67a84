import {
  findConvolution,
  findOnlyConsumer,
  foldChannelScaling,
  link,
  POINTWISE,
  removeNode,
  scaleChannels,
  splitConstant,
} from './channel-scaling.ts';
import { createNode, type EditableGraph, type GraphNode, readNumbers } from './editable-graph.ts';
import { rewriteUpsampling } from './upsampling.ts';

// ONNX Runtime computes convolutions on a processor in a blocked layout of channels (NCHWc), and converts to and from
// it around every operation that has none there. Networks of PaddleOCR have such operations after each convolution: a
// scale and an offset that were learned, and HardSigmoid. Here they become convolutions and Clip, which stay in the
// layout. The values are the same but for rounding.

/** Versions of ONNX in which Clip takes its limits as inputs. */
const MIN_OPSET = 11;

/** Rewrites a model to need fewer conversions of the layout and passes over the memory. */
export function keepBlockedLayout(graph: EditableGraph): boolean {
  if (graph.opset < MIN_OPSET || graph.hasSubgraphs) return false;
  removeIdentities(graph);
  foldChannelScaling(graph);
  for (const node of graph.nodes.filter(({ operation }) => operation === 'HardSigmoid')) {
    if (!rewriteHardSwish(graph, node)) rewriteGate(graph, node);
  }
  rewriteUpsampling(graph);
  return true;
}

function removeIdentities(graph: EditableGraph): void {
  const sources = new Map<string, string>();
  const resolve = (name: string): string => sources.get(name) ?? name;
  for (const node of graph.nodes.slice()) {
    node.inputs = node.inputs.map(resolve);
    const [[input], [output]] = [node.inputs, node.outputs];
    if (node.operation !== 'Identity' || input === undefined || output === undefined) continue;
    if (graph.outputs.includes(output) || graph.findConstant(input)) continue;
    sources.set(output, input);
    removeNode(graph, node);
  }
}

/** HardSigmoid is clip(alpha * x + beta, 0, 1). */
function readHardSigmoid(node: GraphNode) {
  const [alpha = 0.2] = readNumbers(node, 'alpha') ?? [];
  const [beta = 0.5] = readNumbers(node, 'beta') ?? [];
  return { alpha, beta, input: node.inputs[0] ?? '', output: node.outputs[0] ?? '' };
}

/**
 * Rewrites x * HardSigmoid(x) * scale + offset, where x comes from a convolution and scale and offset may be missing.
 * Returns false for every other use of HardSigmoid.
 */
function rewriteHardSwish(graph: EditableGraph, node: GraphNode): boolean {
  const links = link(graph);
  const { alpha, beta, input, output } = readHardSigmoid(node);
  const convolution = findConvolution(graph, links.producer.get(input));
  const product = findOnlyConsumer(graph, links, output);
  if (!convolution || product?.operation !== 'Mul' || !product.inputs.includes(input)) return false;
  const { channels } = convolution;
  const next = (operation: string) => {
    const node = findOnlyConsumer(graph, links, product.outputs[0]);
    const constant =
      node?.operation === operation ? splitConstant(graph, node)?.constant : undefined;
    const [value] = constant?.values.length === 1 ? constant.values : [];
    if (!node || value === undefined) return undefined;
    product.outputs = node.outputs;
    removeNode(graph, node);
    return value;
  };
  const scale = next('Mul') ?? 1;
  const [low, high] = scale < 0 ? [scale, 0] : [0, scale];
  const line = createChannelwise(
    graph,
    { channels, scale: alpha * scale, offset: beta * scale },
    input,
    `${output}_line`,
  );
  const limits = [graph.addConstant([low], []), graph.addConstant([high], [])];
  const clip = createNode('Clip', [`${output}_line`, ...limits], output);
  graph.nodes.splice(graph.nodes.indexOf(node), 1, line, clip);
  const offset = next('Add');
  if (offset !== undefined) addOffset(graph, product, { channels, offset });
  return true;
}

type Line = { readonly channels: number; readonly scale: number; readonly offset: number };

/** Returns a convolution of each channel by itself that computes scale * x + offset. */
const createChannelwise = (
  graph: EditableGraph,
  { channels, scale, offset }: Line,
  input: string,
  output: string,
): GraphNode =>
  createNode(
    'Conv',
    [
      input,
      graph.addConstant(new Float32Array(channels).fill(scale), [channels, 1, 1, 1]),
      graph.addConstant(new Float32Array(channels).fill(offset), [channels]),
    ],
    output,
    { ...POINTWISE, group: channels },
  );

/** Adds an offset to all values of a node: in the convolutions that read them, unless they pad with zeros. */
function addOffset(
  graph: EditableGraph,
  node: GraphNode,
  { channels, offset }: Omit<Line, 'scale'>,
): void {
  const [output = ''] = node.outputs;
  const readers = (link(graph).consumers.get(output) ?? []).map((reader) => ({
    reader,
    convolution: isPadded(reader) ? undefined : findConvolution(graph, reader),
  }));
  const isFoldable =
    !graph.outputs.includes(output) &&
    readers.every(({ reader, convolution }) => convolution && reader.inputs[0] === output);
  if (!isFoldable) {
    const inner = `${output}_without_offset`;
    node.outputs = [inner];
    const added = createChannelwise(graph, { channels, scale: 1, offset }, inner, output);
    graph.nodes.splice(graph.nodes.indexOf(node) + 1, 0, added);
    return;
  }
  for (const { convolution } of readers) {
    if (!convolution) continue;
    const size = convolution.weights.length / convolution.channels;
    const sums = Array.from({ length: convolution.channels }, (_, channel) =>
      convolution.weights
        .subarray(channel * size, (channel + 1) * size)
        .reduce((sum, weight) => sum + weight, 0),
    );
    scaleChannels(graph, convolution, {
      getFactor: () => 1,
      getTerm: (channel) => offset * (sums[channel] ?? 0),
    });
  }
}

const isPadded = (node: GraphNode): boolean =>
  (readNumbers(node, 'pads') ?? []).some((pad) => pad !== 0) ||
  readNumbers(node, 'auto_pad') !== undefined;

/** Rewrites HardSigmoid after a convolution; and x + x * gate, where it is the gate, to x * (gate + 1). */
function rewriteGate(graph: EditableGraph, node: GraphNode): void {
  const links = link(graph);
  const { alpha, beta, input, output } = readHardSigmoid(node);
  const convolution = findConvolution(graph, links.producer.get(input));
  if (!convolution || !findOnlyConsumer(graph, links, input)) return;
  const product = findOnlyConsumer(graph, links, output);
  const sum = findOnlyConsumer(graph, links, product?.outputs[0]);
  const gated = product?.inputs.find((name) => name !== output);
  const isResidual =
    product?.operation === 'Mul' &&
    sum?.operation === 'Add' &&
    gated !== undefined &&
    sum.inputs.includes(gated);
  if (isResidual) {
    product.outputs = sum.outputs;
    removeNode(graph, sum);
  }
  const low = isResidual ? 1 : 0;
  scaleChannels(graph, convolution, { getFactor: () => alpha, getTerm: () => beta + low });
  const limits = [graph.addConstant([low], []), graph.addConstant([low + 1], [])];
  graph.nodes.splice(graph.nodes.indexOf(node), 1, createNode('Clip', [input, ...limits], output));
}
