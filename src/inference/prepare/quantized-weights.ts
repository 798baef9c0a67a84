import type { Convolution } from './channel-scaling.ts';
import { createNode, type EditableGraph } from './editable-graph.ts';
import type { Encoding } from './quantized-values.ts';

const MOST_WEIGHT = 127;
const MOST_BIAS = 2 ** 30;
/** Makes a weight positive, whose fraction is then cut off. */
const SHIFT = MOST_WEIGHT + 1;
const SHIFT_AND_HALF = SHIFT + 0.5;

/**
 * Adds weights and bias of a convolution as integers with a scale for each channel, which is that of its input times
 * that of the weights for the bias. Returns the names of their floats.
 */
export function quantizeWeights(
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
    const most = getMost(weights, start, end);
    // Not so small that the bias does not fit.
    const least = Math.abs(bias[channel]!) / input.scale / MOST_BIAS;
    scales[channel] = Math.max(most / MOST_WEIGHT, least) || 1;
    const scale = scales[channel]!;
    divide(weights, integers, { start, end, scale });
    offsets[channel] = Math.round(bias[channel]! / (input.scale * scale));
  }
  const names = [addDequantized(graph, integers, dims, scales)];
  if (node.inputs.length > 2) {
    const ofSums = scales.map((scale) => scale * input.scale);
    names.push(addDequantized(graph, offsets, [channels], ofSums));
  }
  return names;
}

// Millions of weights pass once through these loops, most of them before they are compiled: they are small, and call as
// few functions as they can.

/** Returns the largest distance of a weight from 0. */
function getMost(weights: Float32Array, start: number, end: number): number {
  // It begins as no integer, so that it is compiled once.
  let most = Math.abs(weights[start] ?? 0);
  for (let at = start; at < end; at++) {
    const distance = Math.abs(weights[at]!);
    if (distance > most) most = distance;
  }
  return most;
}

type Division = { readonly start: number; readonly end: number; readonly scale: number };

/** Does what `Math.round` does. */
function divide(from: Float32Array, to: Int8Array, { start, end, scale }: Division): void {
  for (let at = start; at < end; at++) {
    to[at] = ((from[at]! / scale + SHIFT_AND_HALF) | 0) - SHIFT;
  }
}

function addDequantized(
  graph: EditableGraph,
  integers: Int8Array | Int32Array,
  dims: readonly number[],
  scales: Float32Array,
): string {
  const name = graph.addIntegers(integers, dims);
  const inputs = [name, graph.addConstant(scales, [scales.length])];
  graph.nodes.push(createNode('DequantizeLinear', inputs, `${name}_floats`, { axis: 0 }));
  return `${name}_floats`;
}
