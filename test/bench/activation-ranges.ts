// bun test/bench/activation-ranges.ts MODEL.onnx MODEL.tflite: prints the ranges of the values of a model that was
// converted from a quantised one, from the scales of that, for src/inference/prepare/activation-ranges.json.
import { readFileSync } from 'node:fs';
import { requireValue } from '../../src/core/required.ts';
import { findOnlyConsumer, link } from '../../src/inference/prepare/channel-scaling.ts';
import { parseGraph } from '../../src/inference/prepare/editable-graph.ts';
import { readTflite, type Tensor } from '../../src/inference/prepare/tflite/model.ts';

/** Numbers of operators of TFLite. */
const OPERATIONS: Readonly<Record<number, string>> = { 0: 'Add', 3: 'Conv', 4: 'Conv' };
const DIGITS = 6;

const [onnx, tflite] = process.argv.slice(2);
if (!onnx || !tflite) throw new Error('Usage: activation-ranges.ts MODEL.onnx MODEL.tflite');
const graph = parseGraph(readFileSync(onnx));
const links = link(graph);
const model = readTflite(readFileSync(tflite));

function toRange({ name, type, scales, zeros }: Tensor): readonly [min: number, max: number] {
  const [scale = Number.NaN] = scales;
  const [zero = 0] = zeros;
  if (scales.length !== 1) throw new Error(`${name} has no scale`);
  const [least, most] = type === 'uint8' ? [0, 255] : [-128, 127];
  const toReal = (stored: number) => Number(((stored - zero) * scale).toPrecision(DIGITS));
  return [toReal(least), toReal(most)];
}

const getTensor = (index: number | undefined) =>
  requireValue(model.tensors[index ?? -1], `tensor ${index}`);
const ranges: Record<string, readonly [min: number, max: number]> = {};
for (const index of model.inputs) ranges[getTensor(index).name] = toRange(getTensor(index));
// The conversion keeps the order.
const nodes = graph.nodes.filter(({ operation }) => Object.values(OPERATIONS).includes(operation));
for (const { code, outputs } of model.operators) {
  const operation = OPERATIONS[code];
  if (!operation) continue;
  const node = requireValue(nodes.shift(), `node of operator ${code}`);
  if (node.operation !== operation) throw new Error(`${node.operation} is not ${operation}`);
  const next = findOnlyConsumer(graph, links, node.outputs[0]);
  const [name = ''] = (next?.operation === 'Clip' ? next : node).outputs;
  ranges[name] = toRange(getTensor(outputs[0]));
}
console.log(JSON.stringify(ranges, undefined, 2));
