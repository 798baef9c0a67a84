import { expect, test } from 'bun:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { requireValue } from '../../core/required.ts';
import { keepChannelsFirst } from './channels-first.ts';
import { parseGraph } from './editable-graph.ts';
import { type Graph, newGraph } from '../onnx/graph.ts';

const toFirst = (graph: Graph, value: string) =>
  graph.node('Transpose', [value], { attributes: { perm: [0, 3, 1, 2] } });
const toLast = (graph: Graph, value: string, outputs?: readonly string[]) =>
  graph.node('Transpose', [value], {
    ...(outputs && { outputs }),
    attributes: { perm: [0, 2, 3, 1] },
  });

/** Each operation between two Transpose, as a model of TensorFlow is converted. */
function createModel(): Uint8Array {
  const graph = newGraph();
  graph.input('x', [1, 2, 2, 3]);
  const convolve = (value: string, factor: number) => {
    const weights = Array.from({ length: 9 }, (_, at) => factor * (at - 3));
    const first = toFirst(graph, value);
    return toLast(graph, graph.node('Conv', [first, graph.floats(weights, [3, 3, 1, 1])]));
  };
  const left = convolve('x', 1);
  const sum = graph.node('Add', [left, convolve(left, 2)]);
  const limited = graph.node('Clip', [sum, graph.floats([-20], []), graph.floats([30], [])]);
  // A constant of one axis is of the last one.
  const offset = graph.node('Add', [limited, graph.floats([1, 2, 3], [3])]);
  graph.node('Add', [convolve(offset, 1), limited], { outputs: ['sum'] });
  toLast(graph, toFirst(graph, limited), ['limited']);
  graph.node('Reshape', [limited, graph.integers([1, 12])], { outputs: ['flat'] });
  graph.output('sum', [1, 2, 2, 3]);
  graph.output('limited', [1, 2, 2, 3]);
  graph.output('flat', [1, 12]);
  return graph.finish();
}

async function run(model: Uint8Array) {
  const session = await InferenceSession.create(model, { logSeverityLevel: 3 });
  const values = Float32Array.from({ length: 12 }, (_, at) => at / 2 - 2);
  const found = await session.run({ x: new Tensor('float32', values, [1, 2, 2, 3]) });
  await session.release();
  return session.outputNames.map((name) => {
    const tensor = requireValue(found[name], name);
    return { name, dims: tensor.dims, values: Float32Array.from(tensor.data as Float32Array) };
  });
}

test('channels stay first between operations, and results are the same', async () => {
  const model = createModel();
  const graph = parseGraph(model);
  const count = () => graph.nodes.filter(({ operation }) => operation === 'Transpose').length;
  const before = count();
  keepChannelsFirst(graph);
  expect(before).toBe(8);
  // The input, the sum with a constant, and the results.
  expect(count()).toBe(5);
  expect(await run(graph.finish())).toEqual(await run(model));
});
