import { expect, test } from 'bun:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { smallTflite } from '../../../../test/support/tflite.ts';
import { describe as describeFile } from '../../onnx/describe.ts';
import { memorySource } from '../../onnx/protobuf.ts';
import { convertTflite } from './convert.ts';

const run = async (onnx: Uint8Array, input: Float32Array) => {
  const session = await InferenceSession.create(onnx, { logSeverityLevel: 3 });
  return session.run({ picture: new Tensor('float32', input, [1, 4, 4, 2]) });
};

test('a converted model computes the same as the original: quantised weights, bias, ReLU6', async () => {
  const input = Float32Array.from({ length: 32 }, (_, at) => at / 2);
  const { flat } = await run(convertTflite(smallTflite()), input);
  const expected = [...Array(16).keys()].flatMap((pixel) => {
    const [a, b] = [input[2 * pixel]!, input[2 * pixel + 1]!];
    // 0.5 * (0, 2) and 0.5 * (4, 0), then -1 on the second.
    return [b, 2 * a - 1].map((value) => Math.max(0, Math.min(6, value)));
  });
  expect([...(flat!.data as Float32Array)]).toEqual(expected);
});

test('keeps names and shapes; inner values can become outputs', () => {
  const onnx = convertTflite(smallTflite(), { extraOutputs: ['swapped'] });
  expect(describeFile(memorySource(onnx))).toEqual({
    inputs: [{ name: 'picture', dims: [1, 4, 4, 2] }],
    outputs: [
      { name: 'flat', dims: [1, 32] },
      { name: 'swapped', dims: [1, 4, 4, 2] },
    ],
  });
  expect(() => convertTflite(smallTflite(), { extraOutputs: ['nothing'] })).toThrow('no value');
});

test('the same file gives the same bytes', () => {
  expect(convertTflite(smallTflite())).toEqual(convertTflite(smallTflite()));
});

test('refuses files that are no TFLite models', () => {
  expect(() => convertTflite(new Uint8Array(64))).toThrow('Not a TFLite model');
  expect(() => describeFile(memorySource(new Uint8Array(64)))).toThrow();
});
