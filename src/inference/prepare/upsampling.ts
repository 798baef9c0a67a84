import {
  findOnlyConsumer,
  link,
  type Links,
  POINTWISE,
  readBatchNormalization,
  splitConstant,
} from './channel-scaling.ts';
import {
  createNode,
  type EditableGraph,
  type GraphNode,
  readNumbers,
  type Tensor,
} from './editable-graph.ts';

/** Side of the square of pixels that one pixel becomes in each of the two steps, and in both. */
const STEP = 2;
const SIDE = STEP * STEP;

/**
 * Rewrites the head of a DBNet: two transposed convolutions whose squares do not overlap, with BatchNormalization and
 * Relu between them, and Sigmoid. Each pixel of the input is a square of the output by itself, so that two pointwise
 * convolutions compute the squares as channels, and one DepthToSpace puts them in their places.
 */
export function rewriteUpsampling(graph: EditableGraph): void {
  const links = link(graph);
  const sigmoid = graph.nodes.find(
    ({ operation, outputs }) => operation === 'Sigmoid' && graph.outputs.includes(outputs[0] ?? ''),
  );
  const head = sigmoid && findHead(graph, links, sigmoid);
  if (!sigmoid || !head) return;
  const { expanded, expandedBias, placed, offset } = computeWeights(head);
  const [inputs = 0] = head.first.dims;
  const inner = expandedBias.length;
  const constant = (values: Float32Array, ...dims: number[]) => graph.addConstant(values, dims);
  const name = (step: string) => `${sigmoid.outputs[0]}_${step}`;
  const pixels = SIDE * SIDE;
  const offsets = new Float32Array(pixels).fill(offset);
  const nodes = [
    createNode(
      'Conv',
      [head.input, constant(expanded, inner, inputs, 1, 1), constant(expandedBias, inner)],
      name('expanded'),
      POINTWISE,
    ),
    createNode('Relu', [name('expanded')], name('activated')),
    createNode(
      'Conv',
      [name('activated'), constant(placed, pixels, inner, 1, 1), constant(offsets, pixels)],
      name('placed'),
      POINTWISE,
    ),
    createNode('Sigmoid', [name('placed')], name('squares')),
    createNode('DepthToSpace', [name('squares')], sigmoid.outputs[0] ?? '', { blocksize: SIDE }),
  ];
  graph.nodes.splice(graph.nodes.indexOf(sigmoid), 0, ...nodes);
  const isRemoved = new Set([sigmoid, ...head.removed]);
  graph.nodes.splice(0, graph.nodes.length, ...graph.nodes.filter((node) => !isRemoved.has(node)));
}

type Head = NonNullable<ReturnType<typeof findHead>>;

/** Returns the weights of the two pointwise convolutions: to the channels of each square, and of those to its pixels. */
function computeWeights({ first, firstOffset, batch, second, secondOffset }: Head) {
  const [inputs = 0, inner = 0] = first.dims;
  const squares = STEP * STEP;
  // Weights of a transposed convolution: input, output, row, column.
  const expanded = new Float32Array(squares * inner * inputs);
  const expandedBias = new Float32Array(squares * inner);
  const placed = new Float32Array(SIDE * SIDE * squares * inner);
  for (let square = 0; square < squares; square++) {
    for (let channel = 0; channel < inner; channel++) {
      const at = square * inner + channel;
      const factor = batch.getFactor(channel);
      expandedBias[at] = firstOffset(channel) * factor + batch.getTerm(channel);
      for (let from = 0; from < inputs; from++) {
        expanded[at * inputs + from] =
          first.values[(from * inner + channel) * squares + square]! * factor;
      }
      for (let inSquare = 0; inSquare < squares; inSquare++) {
        const row = Math.floor(square / STEP) * STEP + Math.floor(inSquare / STEP);
        const column = (square % STEP) * STEP + (inSquare % STEP);
        placed[(row * SIDE + column) * squares * inner + at] =
          second.values[channel * squares + inSquare]!;
      }
    }
  }
  return { expanded, expandedBias, placed, offset: secondOffset(0) };
}

/** Walks from the end of the model to the beginning of its head; undefined where it is another head. */
function findHead(graph: EditableGraph, links: Links, sigmoid: GraphNode) {
  const removed: GraphNode[] = [];
  let at = sigmoid.inputs[0];
  const step = (operation: string): GraphNode | undefined => {
    const node = links.producer.get(at ?? '');
    if (node?.operation !== operation || !findOnlyConsumer(graph, links, at)) return undefined;
    removed.push(node);
    at = operation === 'Add' ? splitConstant(graph, node)?.input : node.inputs[0];
    return node;
  };
  const addSecond = step('Add');
  const second = readTransposed(graph, step('ConvTranspose'));
  const relu = step('Relu');
  const normalization = step('BatchNormalization');
  const addFirst = step('Add');
  const first = readTransposed(graph, step('ConvTranspose'));
  if (!addSecond || !second || !relu || !normalization || !addFirst || !first) return undefined;
  const batch = readBatchNormalization(graph, normalization);
  const [firstOffset, secondOffset] = [addFirst, addSecond].map((node) => {
    const values = splitConstant(graph, node)?.constant.values ?? [];
    return (channel: number) => values[values.length === 1 ? 0 : channel]!;
  });
  const isChained = first.dims[1] === second.dims[0] && second.dims[1] === 1;
  if (!batch || !firstOffset || !secondOffset || at === undefined || !isChained) return undefined;
  return { first, firstOffset, batch, second, secondOffset, removed, input: at };
}

/** Returns the weights of a transposed convolution whose squares of STEP pixels do not overlap. */
function readTransposed(graph: EditableGraph, node: GraphNode | undefined): Tensor | undefined {
  if (!node || node.inputs.length !== 2) return undefined;
  const numbers = (name: string) => readNumbers(node, name) ?? [];
  const isPlain =
    numbers('strides').join() === `${STEP},${STEP}` &&
    [...numbers('pads'), ...numbers('output_padding')].every((value) => value === 0) &&
    [...numbers('dilations'), ...numbers('group')].every((value) => value === 1);
  const weights = graph.findConstant(node.inputs[1]);
  const isSquare = weights?.dims.slice(2).join() === `${STEP},${STEP}`;
  return isPlain && isSquare && readNumbers(node, 'auto_pad') === undefined ? weights : undefined;
}
