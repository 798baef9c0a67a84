// bun test/bench/text-ranges.ts: prints the ranges of the values of the text detector behind its backbone, for
// src/inference/prepare/activation-ranges.json, from photos of Debian packages with words on them, and from documents.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ort from 'onnxruntime-node';
import sharp, { type OverlayOptions } from 'sharp';
import { requireValue } from '../../src/core/required.ts';
import { keepBlockedLayout } from '../../src/inference/prepare/blocked-layout.ts';
import { findOnlyConsumer, link } from '../../src/inference/prepare/channel-scaling.ts';
import { type EditableGraph, parseGraph } from '../../src/inference/prepare/editable-graph.ts';
import { decodePicture } from '../../src/inference/run/picture.ts';
import { findText } from '../../src/inference/run/text-detection.ts';
import { PAGES, renderPage, simulatePhonePhoto } from '../support/document-pages.ts';
import { createSeededRandom } from '../support/effort.ts';
import { MODELS } from '../support/models.ts';
import { listScenePhotos } from './scene-photos.ts';

/** The first value behind the backbone; those before it lose too much. */
const FIRST = 'Add.169';
const OPERATIONS = new Set(['Add', 'Clip', 'Concat', 'Conv', 'GlobalAveragePool', 'Mul', 'Relu']);
/** Share of the values of a picture that are beyond each end of the range. */
const TAIL = 1e-5;
const BINS = 4096;
const PHOTOS = 48;
const DIGITS = 4;
const WORDS = ['Open daily', 'Rue du Lac 7', 'Hotel', 'Gate 12', 'SALE 30%', 'Wien Hbf', 'MX 204'];
const COLOURS = ['#fff on #246', '#111 on #ddd', '#fff on none', '#777 on #aaa', '#fe0 on #222'];

/** Returns values that become 8 bits: not those of the head, and of gates (squeeze and excitation) only the ends. */
function listValues(graph: EditableGraph): string[] {
  const links = link(graph);
  const pooled = new Set<string>();
  const from = graph.nodes.findIndex(({ outputs }) => outputs[0] === FIRST);
  return graph.nodes.slice(from).flatMap(({ operation, inputs, outputs: [output = ''] }) => {
    const isGate = pooled.has(inputs[0] ?? '') && operation !== 'Clip';
    if (isGate || operation === 'GlobalAveragePool') pooled.add(output);
    const next = findOnlyConsumer(graph, links, output)?.operation;
    const isInner = next === 'Clip' || (next === 'Relu' && operation === 'Conv');
    const isHead = graph.outputs.some((result) => output.startsWith(result));
    return isGate || isInner || isHead || !OPERATIONS.has(operation) ? [] : [output];
  });
}

const random = createSeededRandom('ranges of text detection');
const pick = <T>(list: readonly T[]): T => list[random.below(list.length)]!;

async function drawWord(width: number, height: number): Promise<OverlayOptions> {
  const size = 9 + Math.floor((random.below(100) / 100) ** 2 * 60);
  const word = pick(WORDS);
  const [colour, , ground] = pick(COLOURS).split(' ');
  const [w, h] = [Math.ceil(word.length * size * 0.72 + size), Math.ceil(size * 1.6)];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${w}">
    <g transform="rotate(${random.below(20) - 10} ${w / 2} ${w / 2})">
    <rect y="${(w - h) / 2}" width="${w}" height="${h}" fill="${ground}"/>
    <text x="${size / 2}" y="${w / 2 + size * 0.35}" font-family="DejaVu Sans" font-size="${size}"
      fill="${colour}">${word}</text></g></svg>`;
  const input = await sharp(Buffer.from(svg))
    .resize(Math.min(w, width, height))
    .png()
    .toBuffer();
  const side = Math.min(w, width, height);
  return { input, left: random.below(width - side + 1), top: random.below(height - side + 1) };
}

async function* drawPictures(): AsyncGenerator<Uint8Array> {
  // Each ninth is left for comparisons.
  const photos = (await listScenePhotos()).filter((_, at) => at % 9 !== 0);
  const step = Math.max(1, Math.floor(photos.length / PHOTOS));
  for (const [at, { path }] of photos.filter((_, index) => index % step === 0).entries()) {
    const [width, height] = at % 3 === 2 ? [720, 960] : [960, 720];
    const photo = sharp(path, { failOn: 'none' }).autoOrient().flatten();
    const fitted = await photo.resize(width, height, { fit: 'cover' }).png().toBuffer();
    const layers: OverlayOptions[] = [];
    if (at % 4 > 0) for (let one = 0; one < 4; one++) layers.push(await drawWord(width, height));
    yield await sharp(fitted).composite(layers).jpeg({ quality: 80 }).toBuffer();
  }
  for (const page of PAGES) {
    const clean = await renderPage(page);
    yield clean;
    yield await simulatePhonePhoto(clean);
  }
}

type Measured = { min: number; max: number; bins: Float64Array };

function widen(range: Measured, values: Float32Array): void {
  for (const value of values) {
    if (value < range.min) range.min = value;
    if (value > range.max) range.max = value;
  }
}

function count({ min, max, bins }: Measured, values: Float32Array): void {
  const factor = (BINS - 1) / (max - min || 1);
  for (const value of values) bins[Math.round((value - min) * factor)]! += 1;
}

/** Returns the range without its tails. Gates are few values, and keep all. */
function toRange({ min, max, bins }: Measured, name: string): [min: number, max: number] {
  const tail = /pool2d|hardsigmoid/.test(name) ? 0 : TAIL * bins.reduce((sum, one) => sum + one, 0);
  const find = (order: Float64Array) => {
    let sum = 0;
    return order.findIndex((one) => (sum += one) > tail);
  };
  const step = (max - min) / (BINS - 1);
  const [low, high] = [min + find(bins) * step, max - find(bins.toReversed()) * step];
  return [Number(low.toPrecision(DIGITS)), Number(high.toPrecision(DIGITS))];
}

if (!MODELS) throw new Error('There are no models: safelight models pull');
const file = readFileSync(join(MODELS, 'ocr/pp-ocrv5-mobile/detection/model.onnx'));
const graph = parseGraph(file);
keepBlockedLayout(graph);
const [result] = graph.outputs;
const names = listValues(graph);
graph.outputs = [...graph.outputs, ...names];
const session = await ort.InferenceSession.create(graph.finish(), { logSeverityLevel: 3 });
const pictures: Uint8Array[] = [];
for await (const picture of drawPictures()) pictures.push(picture);
const all = new Map(
  names.map((name) => [name, { min: 0, max: 0, bins: new Float64Array(BINS) }] as const),
);
const temporary = join(import.meta.dir, '../../.cache/text-ranges.jpg');
for (const measure of [widen, count]) {
  const observed = {
    inputs: session.inputNames,
    outputs: [requireValue(result, 'result of the model')],
    isLong: () => false,
    async run(feeds: Readonly<Record<string, ort.Tensor>>) {
      const found = await session.run(feeds);
      for (const [name, range] of all) measure(range, found[name]?.data as Float32Array);
      return found;
    },
  };
  for (const picture of pictures) {
    await Bun.write(temporary, picture);
    await findText(observed, await decodePicture({ path: temporary }));
  }
}
await Bun.file(temporary).delete();
const ranges = Object.fromEntries([...all].map(([name, range]) => [name, toRange(range, name)]));
console.log(JSON.stringify(ranges, undefined, 2));
