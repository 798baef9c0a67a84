import { expect, test } from 'bun:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe } from '../onnx/describe.ts';
import { newGraph } from '../onnx/graph.ts';
import { keepOutputs } from './outputs.ts';
import { memorySource } from '../onnx/protobuf.ts';

test('unused outputs are removed; the others keep their values', async () => {
  const graph = newGraph();
  graph.input('x', [2]);
  graph.node('Add', ['x', graph.floats([1, 1])], { outputs: ['more'] });
  graph.node('Mul', ['x', 'x'], { outputs: ['square'] });
  graph.output('more', [2]);
  graph.output('square', [2]);
  graph.output('x', [2]);
  const model = graph.finish();
  const less = keepOutputs(model, ['square']);
  const { inputs, outputs } = describe(memorySource(less));
  expect(inputs.map(({ name }) => name)).toEqual(['x']);
  expect(outputs.map(({ name }) => name)).toEqual(['square']);
  const session = await InferenceSession.create(less, { logSeverityLevel: 3 });
  const found = await session.run({ x: new Tensor('float32', Float32Array.of(3, 4), [2]) });
  expect([...(found['square']!.data as Float32Array)]).toEqual([9, 16]);
  await session.release();
  expect(Buffer.compare(keepOutputs(model, ['more', 'square', 'x']), model)).toBe(0);
});
