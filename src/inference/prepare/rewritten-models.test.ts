import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { requireValue } from '../../core/required.ts';
import { createSeededRandom } from '../../../test/support/effort.ts';
import { MODELS } from '../../../test/support/models.ts';
import { skipWithout } from '../../../test/support/requirements.ts';
import { quantizeKnown } from './activation-ranges.ts';
import { keepBlockedLayout } from './blocked-layout.ts';
import { keepCandidates } from './candidates.ts';
import { parseGraph, rewriteModel } from './editable-graph.ts';
import { newGraph } from '../onnx/graph.ts';
import { quantize } from './quantization.ts';
import type { Range } from './quantized-values.ts';

type Values = { readonly dims: readonly number[]; readonly values: Float32Array };

async function run(model: Uint8Array, { dims, values }: Values): Promise<Values[]> {
  const session = await InferenceSession.create(model, { logSeverityLevel: 3 });
  const [input = ''] = session.inputNames;
  const found = await session.run({ [input]: new Tensor('float32', values, dims) });
  const results = session.outputNames.map((name) => {
    const tensor = requireValue(found[name], name);
    return { dims: tensor.dims, values: Float32Array.from(tensor.data as Float32Array) };
  });
  await session.release();
  return results;
}

/** Returns blocks of 8 by 8 pixels, so that a model sees more than noise. */
function createInput(layout: 'CHW' | 'HWC', height: number, width: number): Values {
  const random = createSeededRandom('rewritten models');
  const blocks = Array.from({ length: 3 * (height / 8) * (width / 8) }, () => random.below(256));
  const values = new Float32Array(3 * height * width);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < 3; channel++) {
        const block = (channel * (height / 8) + (y >> 3)) * (width / 8) + (x >> 3);
        const at =
          layout === 'CHW' ? (channel * height + y) * width + x : (y * width + x) * 3 + channel;
        values[at] = blocks[block]! / 128 - 1;
      }
    }
  }
  const dims = layout === 'CHW' ? [1, 3, height, width] : [1, height, width, 3];
  return { dims, values };
}

const getLargestDifference = (a: Float32Array, b: Float32Array): number =>
  a.reduce((most, value, at) => Math.max(most, Math.abs(value - b[at]!)), 0);

/** Probabilities differ by so much when additions are made in another order. */
const ROUNDING = 2e-5;

skipWithout('models').describe('models as they are loaded', () => {
  const read = (path: string) => readFileSync(join(MODELS!, path));

  test.each([
    ['detection', 160, 224],
    ['detection', 96, 320],
    ['recognition', 48, 320],
    ['recognition', 48, 88],
  ])(
    '%s of text gives the same for %d x %d pixels but for rounding',
    async (part, height, width) => {
      const model = read(`ocr/pp-ocrv5-mobile/${part}/model.onnx`);
      const rewritten = rewriteModel(model, keepBlockedLayout);
      expect(Buffer.compare(rewritten, model)).not.toBe(0);
      const input = createInput('CHW', height, width);
      const [[before], [after]] = [await run(model, input), await run(rewritten, input)];
      expect(after!.dims).toEqual(before!.dims);
      expect(getLargestDifference(before!.values, after!.values)).toBeLessThan(ROUNDING);
    },
  );

  test('the detector of objects returns each candidate with its boxes, scores and anchor', async () => {
    const model = read('objects/efficientdet-lite2/model.onnx');
    const least = 0.02;
    const input = createInput('HWC', 448, 448);
    const [boxes, scores, anchors] = await run(model, input);
    const rewritten = rewriteModel(model, (graph) => keepCandidates(graph, least));
    const [boxesFound, scoresFound, anchorsFound] = await run(rewritten, input);
    const kinds = 90;
    const found = Array.from({ length: scores!.values.length / kinds }, (_, at) => at).filter(
      (at) => Math.max(...scores!.values.subarray(at * kinds, (at + 1) * kinds)) >= least,
    );
    expect(found.length).toBeGreaterThan(0);
    expect(scoresFound!.values.length).toBeLessThan(scores!.values.length / 10);
    const select = ({ values }: Values, size: number) =>
      Float32Array.from(found.flatMap((at) => [...values.subarray(at * size, (at + 1) * size)]));
    // The new model also returns candidates a little below the score.
    const isAbove = Array.from(
      { length: scoresFound!.values.length / kinds },
      (_, at) => at,
    ).filter(
      (at) => Math.max(...scoresFound!.values.subarray(at * kinds, (at + 1) * kinds)) >= least,
    );
    expect(isAbove).toHaveLength(found.length);
    const selectFound = ({ values }: Values, size: number) =>
      Float32Array.from(isAbove.flatMap((at) => [...values.subarray(at * size, (at + 1) * size)]));
    expect(selectFound(boxesFound!, 4)).toEqual(select(boxes!, 4));
    expect(selectFound(anchorsFound!, 4)).toEqual(select(anchors!, 4));
    expect(
      getLargestDifference(selectFound(scoresFound!, kinds), select(scores!, kinds)),
    ).toBeLessThan(1e-6);
  });

  test('only a file whose ranges are known is quantised', () => {
    const model = read('objects/efficientdet-lite2/model.onnx');
    const quantized = quantizeKnown(model);
    const operations = parseGraph(quantized!).nodes.map(({ operation }) => operation);
    const convolutions = operations.filter((operation) => operation === 'Conv').length;
    expect(convolutions).toBeGreaterThan(0);
    expect(operations.filter((operation) => operation === 'QuantizeLinear').length).toBeGreaterThan(
      convolutions,
    );
    const unknown = Buffer.concat([model, Uint8Array.of(0x50, 1)]);
    expect(quantizeKnown(unknown)).toBe(undefined);
  });
});

test('an offset after HardSwish reaches the padded border of the next convolution', async () => {
  const graph = newGraph();
  graph.input('x', [1, 1, 'height', 'width']);
  const pointwise = graph.node('Conv', ['x', graph.floats([2, -1], [2, 1, 1, 1])]);
  const gate = graph.node('HardSigmoid', [pointwise]);
  const product = graph.node('Mul', [gate, pointwise]);
  const scaled = graph.node('Mul', [product, graph.floats([-3])]);
  const moved = graph.node('Add', [scaled, graph.floats([5])]);
  const weights = graph.floats(
    Float32Array.from({ length: 18 }, (_, at) => at - 4),
    [1, 2, 3, 3],
  );
  graph.node('Conv', [moved, weights], { outputs: ['y'], attributes: { pads: [1, 1, 1, 1] } });
  graph.output('y', [1, 1, 'height', 'width']);
  const model = graph.finish();
  const input = {
    dims: [1, 1, 3, 4],
    values: Float32Array.from({ length: 12 }, (_, at) => at - 6),
  };
  const rewritten = rewriteModel(model, keepBlockedLayout);
  const [[before], [after]] = [await run(model, input), await run(rewritten, input)];
  expect(getLargestDifference(before!.values, after!.values)).toBeLessThan(1e-3);
});

// Other processors add products in 16 bits, which are too few.
skipWithout('fast integers').test(
  'a quantised model gives the values of the float one but for a hundredth of their range',
  async () => {
    const random = createSeededRandom('quantised model');
    const draw = (count: number) =>
      Float32Array.from({ length: count }, () => random.below(2001) / 1000 - 1);
    const graph = newGraph();
    graph.input('x', [1, 16, 16, 4]);
    const turned = graph.node('Transpose', ['x'], { attributes: { perm: [0, 3, 1, 2] } });
    const limits = [graph.floats([0], []), graph.floats([2], [])];
    const first = graph.node(
      'Conv',
      [turned, graph.floats(draw(8 * 4 * 9), [8, 4, 3, 3]), graph.floats(draw(8), [8])],
      { attributes: { auto_pad: 'SAME_UPPER' } },
    );
    const clipped = graph.node('Clip', [first, ...limits]);
    const second = graph.node(
      'Conv',
      [clipped, graph.floats(draw(8 * 9), [8, 1, 3, 3]), graph.floats(draw(8), [8])],
      { attributes: { auto_pad: 'SAME_UPPER', group: 8 } },
    );
    const sum = graph.node('Add', [clipped, second]);
    graph.node('MaxPool', [sum], {
      outputs: ['y'],
      attributes: { kernel_shape: [2, 2], strides: [2, 2] },
    });
    graph.output('y', [1, 8, 8, 8]);
    const model = graph.finish();
    const editable = parseGraph(model);
    const ranges = [
      ['x', [-1, 1]],
      [clipped, [0, 2]],
      [second, [-9, 9]],
      [sum, [-9, 11]],
    ] as const;
    quantize(editable, new Map<string, Range>(ranges));
    const input = { dims: [1, 16, 16, 4], values: draw(16 * 16 * 4) };
    const [[before], [after]] = [await run(model, input), await run(editable.finish(), input)];
    expect(after!.dims).toEqual(before!.dims);
    const difference = getLargestDifference(before!.values, after!.values);
    expect(difference).toBeGreaterThan(0);
    expect(difference).toBeLessThan(0.2);
  },
);
