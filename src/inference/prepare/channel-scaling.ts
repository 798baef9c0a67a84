import { type EditableGraph, type GraphNode, readNumbers } from './editable-graph.ts';

/** Producers and consumers of the values of a graph. */
export type Links = {
  readonly producer: Map<string, GraphNode>;
  readonly consumers: ReadonlyMap<string, readonly GraphNode[]>;
};

export function link(graph: EditableGraph): Links {
  const producer = new Map<string, GraphNode>();
  const consumers = new Map<string, GraphNode[]>();
  for (const node of graph.nodes) {
    for (const output of node.outputs) producer.set(output, node);
    for (const input of new Set(node.inputs)) {
      const list = consumers.get(input) ?? [];
      list.push(node);
      consumers.set(input, list);
    }
  }
  return { producer, consumers };
}

/** Returns the only consumer of a value; undefined if there are several or it is a result of the model. */
export function findOnlyConsumer(
  { outputs }: EditableGraph,
  { consumers }: Links,
  name: string | undefined,
): GraphNode | undefined {
  const all = consumers.get(name ?? '') ?? [];
  return all.length === 1 && !outputs.includes(name ?? '') ? all[0] : undefined;
}

export const removeNode = ({ nodes }: EditableGraph, node: GraphNode): void =>
  void nodes.splice(nodes.indexOf(node), 1);

/** A node of two inputs, of which one is a constant. */
export function splitConstant(graph: EditableGraph, node: GraphNode) {
  const [first, second] = node.inputs;
  if (node.inputs.length !== 2 || first === undefined || second === undefined) return undefined;
  const right = graph.findConstant(second);
  if (right) return { input: first, constant: right };
  const left = graph.findConstant(first);
  return left ? { input: second, constant: left } : undefined;
}

/** A convolution over two dimensions whose weights are constants; `dims`: those of the weights. */
export function findConvolution(graph: EditableGraph, node: GraphNode | undefined) {
  if (node?.operation !== 'Conv') return undefined;
  const weights = graph.findConstant(node.inputs[1]);
  const bias = graph.findConstant(node.inputs[2]);
  if (weights?.dims.length !== 4 || (node.inputs.length > 2 && !bias)) return undefined;
  const channels = weights.dims[0] ?? 0;
  return {
    node,
    channels,
    dims: weights.dims,
    weights: weights.values,
    bias: bias?.values ?? new Float32Array(channels),
  };
}

export type Convolution = NonNullable<ReturnType<typeof findConvolution>>;

/** Attributes of a convolution that looks at one pixel. */
export const POINTWISE = {
  kernel_shape: [1, 1],
  strides: [1, 1],
  dilations: [1, 1],
  pads: [0, 0, 0, 0],
};

/** Each channel becomes value * factor + term. */
export type ChannelScaling = {
  readonly getFactor: (channel: number) => number;
  readonly getTerm: (channel: number) => number;
};

/** Scales the channels that a convolution computes, by its weights and its bias. */
export function scaleChannels(
  graph: EditableGraph,
  { node, channels, dims, weights, bias }: Convolution,
  { getFactor, getTerm }: ChannelScaling,
): void {
  const size = weights.length / channels;
  const scaled = new Float32Array(weights.length);
  const terms = new Float32Array(channels);
  for (let channel = 0; channel < channels; channel++) {
    const factor = getFactor(channel);
    const end = (channel + 1) * size;
    for (let at = channel * size; at < end; at++) scaled[at] = weights[at]! * factor;
    terms[channel] = bias[channel]! * factor + getTerm(channel);
  }
  const [input = ''] = node.inputs;
  node.inputs = [input, graph.addConstant(scaled, dims), graph.addConstant(terms, [channels])];
}

/** Puts the scaling of channels after a convolution into its weights: Mul, Add and BatchNormalization. */
export function foldChannelScaling(graph: EditableGraph): void {
  const links = link(graph);
  const scalings = new Map<Convolution['node'], ChannelScaling>();
  for (const node of graph.nodes.slice()) {
    const isBatch = node.operation === 'BatchNormalization';
    if (!isBatch && node.operation !== 'Mul' && node.operation !== 'Add') continue;
    const input = isBatch ? node.inputs[0] : splitConstant(graph, node)?.input;
    const convolution = findConvolution(graph, links.producer.get(input ?? ''));
    if (!convolution || !findOnlyConsumer(graph, links, input)) continue;
    const scaling = isBatch
      ? readBatchNormalization(graph, node)
      : readConstantScaling(graph, node, convolution.channels);
    if (!scaling) continue;
    scalings.set(convolution.node, chain(scalings.get(convolution.node), scaling));
    convolution.node.outputs = node.outputs;
    for (const output of node.outputs) links.producer.set(output, convolution.node);
    removeNode(graph, node);
  }
  for (const [node, scaling] of scalings) {
    const convolution = findConvolution(graph, node);
    if (convolution) scaleChannels(graph, convolution, scaling);
  }
}

const chain = (first: ChannelScaling | undefined, then: ChannelScaling): ChannelScaling =>
  first === undefined
    ? then
    : {
        getFactor: (channel) => first.getFactor(channel) * then.getFactor(channel),
        getTerm: (channel) =>
          first.getTerm(channel) * then.getFactor(channel) + then.getTerm(channel),
      };

/** The default value of ONNX. */
const EPSILON = 1e-5;

/** Returns undefined where its parameters are no constants. */
export function readBatchNormalization(
  graph: EditableGraph,
  node: GraphNode,
): ChannelScaling | undefined {
  const [epsilon = EPSILON] = readNumbers(node, 'epsilon') ?? [];
  const [scale, bias, mean, variance] = node.inputs
    .slice(1)
    .map((name) => graph.findConstant(name)?.values);
  if (!scale || !bias || !mean || !variance) return undefined;
  const getFactor = (channel: number) => scale[channel]! / Math.sqrt(variance[channel]! + epsilon);
  return {
    getFactor,
    getTerm: (channel: number) => bias[channel]! - mean[channel]! * getFactor(channel),
  };
}

/** Returns undefined where another than the channels' axis is scaled. */
function readConstantScaling(
  graph: EditableGraph,
  node: GraphNode,
  channels: number,
): ChannelScaling | undefined {
  const constant = splitConstant(graph, node)?.constant;
  if (!constant) return undefined;
  const { dims, values } = constant;
  const isScalar = values.length === 1 && dims.length <= 4;
  const isPerChannel =
    values.length === channels &&
    dims.at(-1) === 1 &&
    dims.at(-2) === 1 &&
    dims.at(-3) === channels;
  if (!isScalar && !isPerChannel) return undefined;
  const getValue = (channel: number) => values[isScalar ? 0 : channel]!;
  return node.operation === 'Mul'
    ? { getFactor: getValue, getTerm: () => 0 }
    : { getFactor: () => 1, getTerm: getValue };
}
