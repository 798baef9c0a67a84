import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Graph, newGraph } from '../../src/inference/onnx/graph.ts';

// Models of the right shapes with made-up weights: what a real one of a hub would have to be like to
// be put into the folder. What they find means nothing, but the same input finds the same.

async function write(path: string, content: Uint8Array | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(path, content);
}

/** Numbers between -1 and 1, the same for the same seed. */
export function made(count: number, seed: number): Float32Array {
  let state = seed * 747796405 + 1;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

/** The mean of each of 4 x 4 parts of the picture, times made-up weights. */
function pictureToVector(graph: Graph, side: number, dimension: number, seed: number): void {
  graph.input('image', ['batch', 3, side, side]);
  const part = side / 4;
  const pooled = graph.node('AveragePool', ['image'], {
    attributes: { kernel_shape: [part, part], strides: [part, part] },
  });
  const flat = graph.node('Reshape', [pooled, graph.integers([-1, 48])]);
  graph.node('MatMul', [flat, graph.floats(made(48 * dimension, seed), [48, dimension])], {
    outputs: ['embedding'],
  });
  graph.output('embedding', ['batch', dimension]);
}

export type ClipShape = { readonly dimension: number; readonly side: number };

/** As Immich's hub has them: `<folder>/{visual,textual}/…` with its configuration files. */
export async function writeClip(folder: string, { dimension, side }: ClipShape): Promise<void> {
  const visual = newGraph();
  pictureToVector(visual, side, dimension, 1);
  await write(join(folder, 'visual/model.onnx'), visual.finish());
  await write(
    join(folder, 'visual/preprocess_cfg.json'),
    JSON.stringify({
      size: [side, side],
      mode: 'RGB',
      mean: [0.48145466, 0.4578275, 0.40821073],
      std: [0.26862954, 0.26130258, 0.27577711],
      interpolation: 'bicubic',
      resize_mode: 'shortest',
    }),
  );

  const textual = newGraph();
  textual.input('text', ['batch', 77], 'int32');
  const floats = textual.node('Cast', ['text'], { attributes: { to: 1 } });
  const waves = textual.node('Sin', [floats]);
  textual.node('MatMul', [waves, textual.floats(made(77 * dimension, 2), [77, dimension])], {
    outputs: ['embedding'],
  });
  textual.output('embedding', ['batch', dimension]);
  await write(join(folder, 'textual/model.onnx'), textual.finish());
  await write(join(folder, 'textual/tokenizer.json'), JSON.stringify(clipTokenizer()));
  await write(
    join(folder, 'textual/tokenizer_config.json'),
    JSON.stringify({ pad_token: '<|endoftext|>' }),
  );
  await write(
    join(folder, 'config.json'),
    JSON.stringify({
      embed_dim: dimension,
      vision_cfg: { image_size: side },
      text_cfg: { context_length: 77, vocab_size: 49_408 },
    }),
  );
}

/** Letters, and a few pairs that were "learned": lo, low, er</w>. */
export function clipTokenizer() {
  const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
  const tokens = [
    ...letters,
    ...letters.map((letter) => `${letter}</w>`),
    'lo',
    'low',
    'er</w>',
    'low</w>',
    '<|startoftext|>',
    '<|endoftext|>',
  ];
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  return {
    model: {
      type: 'BPE',
      end_of_word_suffix: '</w>',
      vocab,
      merges: ['l o', 'lo w', 'e r</w>', 'lo w</w>'],
    },
    post_processor: {
      type: 'RobertaProcessing',
      cls: ['<|startoftext|>', vocab['<|startoftext|>']],
      sep: ['<|endoftext|>', vocab['<|endoftext|>']],
    },
  };
}

/** InsightFace's pair: SCRFD, which sees one face in the middle of every picture, and ArcFace. */
export async function writeFaceModels(folder: string, dimension: number): Promise<void> {
  await write(join(folder, 'detection/model.onnx'), scrfd());
  const recognition = newGraph();
  pictureToVector(recognition, 112, dimension, 3);
  await write(join(folder, 'recognition/model.onnx'), recognition.finish());
}

const STRIDES = [8, 16, 32];
const SIDE = 640;

function scrfd(): Uint8Array {
  const graph = newGraph();
  graph.input('input.1', [1, 3, '?', '?']);
  // Uses the input, and adds nothing.
  const mean = graph.node('ReduceMean', ['input.1'], { attributes: { keepdims: 0 } });
  const nothing = graph.node('Mul', [mean, graph.floats([0], [])]);
  for (const [numbers, kind] of [
    [1, 'score'],
    [4, 'box'],
    [10, 'points'],
  ] as const) {
    for (const stride of STRIDES) {
      const cells = SIDE / stride;
      const values = new Float32Array(cells * cells * 2 * numbers);
      if (stride === 32) values.set(createValues(kind), (10 * cells + 10) * 2 * numbers);
      const name = `${kind}_${stride}`;
      const constant = graph.floats(values, [cells * cells * 2, numbers]);
      graph.node('Add', [constant, nothing], { outputs: [name] });
      graph.output(name, [cells * cells * 2, numbers]);
    }
  }
  return graph.finish();
}

/** In strides, from the cell at (320, 320): 160 pixels wide and 192 high. */
function createValues(kind: 'score' | 'box' | 'points'): number[] {
  if (kind === 'score') return [0.9];
  if (kind === 'box') return [2.5, 3, 2.5, 3];
  return [-1, -1, 1, -1, 0, 0, -0.8, 1, 0.8, 1];
}

/** Models that stand for conse-1: a sentence encoder and a tag model. */
export async function writeConse(models: string, dimension: number): Promise<void> {
  const graph = newGraph();
  graph.input('input_ids', ['batch', 'tokens'], 'int64');
  graph.input('attention_mask', ['batch', 'tokens'], 'int64');
  const floats = graph.node('Cast', ['input_ids'], { attributes: { to: 1 } });
  const waves = graph.node('Unsqueeze', [graph.node('Sin', [floats]), graph.integers([2])]);
  graph.node('MatMul', [waves, graph.floats(made(dimension, 4), [1, dimension])], {
    outputs: ['states'],
  });
  graph.output('states', ['batch', 'tokens', dimension]);
  await write(join(models, 'text/made/model.onnx'), graph.finish());
  await write(join(models, 'text/made/tokenizer.json'), JSON.stringify(clipTokenizer()));
  await write(join(models, 'tags/made/model.onnx'), graph.finish());
  await write(join(models, 'tags/made/labels.txt'), 'thing');
}
