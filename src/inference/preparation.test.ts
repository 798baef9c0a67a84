import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mountDisk, unmount } from '../../test/support/mounts.ts';
import { skipWithout } from '../../test/support/requirements.ts';
import { computeSha256 } from '../core/hash.ts';
import { silentLog } from '../core/log.ts';
import { defaultSettings } from '../core/settings.ts';
import { openInference } from './client.ts';
import { findPrepared, getPreparedFolder, PREPARATION } from './models/prepared.ts';
import { describeModel } from './onnx/describe.ts';
import { newGraph } from './onnx/graph.ts';
import { prepareModels, removeLeftovers } from './preparation.ts';

const MACHINE = { provider: 'cpu', hasFastIntegers: false } as const;
const SIDE = 448;

let data: string;
let root: string;
let model: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'safelight-prepared-'));
  root = join(data, 'models');
  model = join(root, 'objects/made/model.onnx');
  await Bun.write(model, createDetector(0));
});
afterEach(() => rm(data, { recursive: true, force: true }));

/** A detector of two places, of which the first is a thing of the kind 0 with this logit, if the picture is white. */
function createDetector(bias: number): Uint8Array {
  const graph = newGraph();
  graph.input('picture', [1, SIDE, SIDE, 3]);
  const scale = { attributes: { axes: [1, 2, 3], keepdims: 0 } };
  const mean = graph.node('ReduceMean', ['picture'], scale);
  const column = graph.node('Reshape', [mean, graph.integers([1, 1, 1])]);
  const weights = graph.floats([9, -9, -9, -9], [1, 2, 2]);
  const logits = graph.node('Mul', [column, weights]);
  const moved = graph.node('Add', [logits, graph.floats([bias])]);
  const boxes = graph.node('Mul', [column, graph.floats(new Float32Array(8), [1, 2, 4])]);
  graph.node('Identity', [boxes], { outputs: ['boxes'] });
  graph.node('Sigmoid', [moved], { outputs: ['scores'] });
  const places = graph.floats([0.5, 0.5, 0.5, 0.5, 0.2, 0.2, 0.1, 0.1], [2, 4]);
  graph.node('Identity', [places], { outputs: ['anchors'] });
  graph.output('boxes', [1, 2, 4]);
  graph.output('scores', [1, 2, 2]);
  graph.output('anchors', [2, 4]);
  return graph.finish();
}

const listFiles = () => readdirSync(getPreparedFolder(root)).toSorted();
const find = () => findPrepared([root], model, 'objects');

test('a model is prepared once, under a name that says from what, how and by which version', async () => {
  expect((await prepareModels([root], MACHINE)).size).toBe(0);
  const [name = ''] = listFiles();
  const own = await computeSha256(Bun.file(join(getPreparedFolder(root), name)));
  expect(name).toBe(`${await computeSha256(Bun.file(model))}-objects-${PREPARATION}-${own}.onnx`);
  const path = await find();
  expect(path).toBe(join(getPreparedFolder(root), name));
  expect(describeModel(path!).outputs.map((output) => output.name)).toContain('scores_found');
  const { lastModified } = Bun.file(path!);
  await prepareModels([root], MACHINE);
  expect(listFiles()).toEqual([name]);
  expect(Bun.file(path!).lastModified).toBe(lastModified);
});

test('other bytes, a damaged file and what a crash has left are prepared again', async () => {
  await prepareModels([root], MACHINE);
  const first = (await find())!;
  await writeFile(first, 'half of i');
  await writeFile(join(getPreparedFolder(root), 'crashed.part'), 'half of i');
  expect(await find()).toBeUndefined();
  await prepareModels([root], MACHINE);
  expect(await find()).toBe(first);
  await Bun.write(model, createDetector(1));
  expect(await find()).toBeUndefined();
  await prepareModels([root], MACHINE);
  expect(await find()).not.toBe(first);
});

test('a file of another version is not run, and stays for the servers that run it', async () => {
  await prepareModels([root], MACHINE);
  const path = (await find())!;
  const older = path.replace(`-objects-${PREPARATION}-`, `-objects-${PREPARATION - 1}-`);
  await Bun.write(older, Bun.file(path));
  await rm(path);
  expect(await find()).toBeUndefined();
  await prepareModels([root], MACHINE);
  expect(await find()).toBe(path);
  expect(await Bun.file(older).exists()).toBe(true);
});

test('two that prepare at once make the same file', async () => {
  const faults = await Promise.all([1, 2, 3].map(() => prepareModels([root], MACHINE)));
  expect(faults.map(({ size }) => size)).toEqual([0, 0, 0]);
  expect(listFiles()).toHaveLength(1);
  expect(await find()).toBeDefined();
});

test('what no installed model needs is removed, parts of others not while they may be written', async () => {
  await prepareModels([root], MACHINE);
  const part = join(getPreparedFolder(root), 'running.part');
  await writeFile(part, 'half of i');
  await removeLeftovers([root]);
  expect(await find()).toBeDefined();
  await rm(join(root, 'objects'), { recursive: true });
  await removeLeftovers([root]);
  expect(listFiles()).toEqual(['running.part']);
  await utimes(part, 0, 0);
  await removeLeftovers([root]);
  expect(listFiles()).toEqual([]);
});

/** Returns what the models see in a white picture, and the warnings about it. */
async function look() {
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (text: string) => void warnings.push(text) };
  const settings = { ...defaultSettings(), dataDir: data };
  const inference = openInference({ settings, log });
  try {
    const white = { width: 64, height: 64, data: new Uint8Array(64 * 64 * 3).fill(255) };
    const objects = await inference.detectObjects(white);
    return { labels: objects.map(({ label }) => label), warnings };
  } finally {
    await inference.close();
  }
}

test('a folder that somebody has filled is prepared by the first picture', async () => {
  expect(await look()).toEqual({ labels: ['person'], warnings: [] });
  expect(listFiles()).toHaveLength(1);
});

test('the models of a folder for reading only are prepared in the data folder', async () => {
  const shared = join(data, 'shared');
  await mkdir(join(shared, 'objects/other'), { recursive: true });
  await Bun.write(join(shared, 'objects/other/model.onnx'), createDetector(1));
  await rm(join(root, 'objects'), { recursive: true });
  expect((await prepareModels([root, shared], MACHINE)).size).toBe(0);
  expect(listFiles()).toHaveLength(1);
  expect(readdirSync(shared)).toEqual(['objects']);
});

const asPublished = {
  labels: ['person'],
  warnings: ['a model cannot be prepared, it runs as it was published: slower'],
};

test('models are run as they were published where nothing can be written, and the log says so', async () => {
  // Not by its rights: root may write anywhere.
  await writeFile(getPreparedFolder(root), 'no folder');
  expect(await look()).toEqual(asPublished);
});

skipWithout('tmpfs').test(
  'models are run as they were published while the disk is full, and no part of a file stays',
  async () => {
    const disk = getPreparedFolder(root);
    await mkdir(disk);
    mountDisk(disk, 4096);
    try {
      await writeFile(join(disk, 'full'), new Uint8Array(4096));
      expect(await look()).toEqual(asPublished);
      expect(listFiles()).toEqual(['full']);
    } finally {
      unmount(disk);
    }
  },
);

test('a file that cannot be rewritten does not stop the others', async () => {
  await Bun.write(join(root, 'speech/made/encoder.onnx'), 'no model');
  await Bun.write(join(root, 'speech/made/decoder.onnx'), 'no model');
  await Bun.write(join(root, 'speech/made/tokenizer.json'), '{}');
  const config = { decoder_attention_heads: 2, d_model: 4 };
  await Bun.write(join(root, 'speech/made/config.json'), JSON.stringify(config));
  const faults = await prepareModels([root], MACHINE);
  const found = [...faults].map(([path, { message }]) => [path.slice(root.length), message]);
  expect(found).toEqual([
    ['/speech/made/encoder.onnx', 'Not a Protocol Buffers message'],
    ['/speech/made/decoder.onnx', 'Not a Protocol Buffers message'],
  ]);
  expect(listFiles()).toHaveLength(1);
});
