import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { writeClip, writeFaceModels } from '../../test/support/generated-models.ts';
import { withModels } from '../../test/support/models.ts';
import { sample } from '../../test/support/sample.ts';
import { MEDIA, skipWithout } from '../../test/support/requirements.ts';
import { silentLog } from '../core/log.ts';
import { defaultSettings } from '../core/settings.ts';
import { getCapabilities, clearModelCache } from './capabilities.ts';
import { openInference } from './client.ts';
import { dot } from './vectors/arithmetic.ts';
import type { Inference, Pixels } from './types.ts';

// bun's `.rejects` does not let other processes speak while it waits.
const catchError = async (work: Promise<unknown>): Promise<Error | undefined> =>
  work.then(
    () => undefined,
    (error: Error) => error,
  );

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-inference-'));
  // Nothing but derived files is read by the models.
  await mkdir(join(folder, 'derived'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const plain = (colour: string, side = 300): Promise<Pixels> =>
  sharp({ create: { width: side, height: side, channels: 3, background: colour } })
    .raw()
    .toBuffer()
    .then((data) => ({ width: side, height: side, data }));

async function written(lines: readonly string[], angle = 0): Promise<string> {
  const texts = lines.map(
    (line, at) =>
      `<text x="60" y="${110 + at * 90}" font-size="52" font-family="DejaVu Sans">${line}</text>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="500">
    <rect width="1000" height="500" fill="#eee"/><g transform="rotate(${angle} 500 250)">${texts.join('')}</g></svg>`;
  const path = join(folder, 'derived', `${Bun.hash(svg)}.jpg`);
  await sharp(Buffer.from(svg)).jpeg({ quality: 80 }).toFile(path);
  return path;
}

/** The default set, loaded once for all tests. */
let inference: Inference;
beforeAll(() => {
  inference = openInference({ settings: withModels(folder), log: silentLog });
});
afterAll(() => inference.close());

skipWithout('models').describe('the default set', () => {
  test('reads printed lines in order, level and turned, with their places', async () => {
    for (const angle of [0, 6]) {
      const path = await written(['Corner Market', 'Total 12.40 EUR', 'Thank you'], angle);
      const lines = await inference.readText({ path });
      expect(lines.map(({ text }) => text)).toEqual([
        'Corner Market',
        'Total 12.40 EUR',
        'Thank you',
      ]);
      const [first, second] = lines;
      expect(first!.score).toBeGreaterThan(0.9);
      for (const { x, y } of first!.quad) {
        expect(x).toBeWithin(0, 1);
        expect(y).toBeWithin(0, 1);
      }
      expect(first!.quad[0].y).toBeLessThan(second!.quad[0].y);
      expect(first!.quad[0].x).toBeLessThan(first!.quad[1].x);
    }
  });

  test('an empty picture gives empty results', async () => {
    const picture = await plain('#888');
    const { results } = await inference.analyze(picture, ['faces', 'objects', 'text', 'feature']);
    expect(results.faces).toEqual([]);
    expect(results.objects).toEqual([]);
    expect(results.text).toEqual([]);
    expect(results.feature).toHaveLength(1024);
    expect(results.labels).toBeUndefined();
  });

  test('a smaller, worse copy has nearly the same feature; another picture has not', async () => {
    const original = await written(['A letter to nobody', 'with three lines', 'of no weight']);
    const copy = join(folder, 'derived', 'copy.jpg');
    await sharp(original).resize(500).jpeg({ quality: 40 }).toFile(copy);
    const other = join(folder, 'derived', 'other.jpg');
    await sharp({ create: { width: 400, height: 300, channels: 3, background: '#36c' } }).toFile(
      other,
    );
    const [a, b, c] = await Promise.all(
      [original, copy, other].map((path) => inference.imageFeature({ path })),
    );
    expect(dot(a!, b!)).toBeGreaterThan(0.9);
    expect(dot(a!, c!)).toBeLessThan(0.8);
  });

  test('texts that mean the same are near each other; a query is kept', async () => {
    const [dog, puppy, bill] = await inference.embedSentences([
      'a dog running on the beach',
      'puppy playing by the sea',
      'grocery bill',
    ]);
    expect(dot(dog!, puppy!)).toBeGreaterThan(dot(dog!, bill!) + 0.2);
    const query = await inference.embedQuery('puppy at the sea');
    expect(query).toHaveLength(384);
    expect(await inference.embedQuery('puppy at the sea')).toBe(query);
  });

  test('a file that is no picture is reported as undecodable; the next call works', async () => {
    const path = join(folder, 'derived', 'no-picture.jpg');
    await Bun.write(path, 'hello');
    expect((await catchError(inference.imageFeature({ path })))?.name).toBe('PictureUnreadable');
    expect(await inference.imageFeature(await plain('#345'))).toHaveLength(1024);
  });

  test('one family at a time gives the same results', async () => {
    const settings = withModels(folder, { inferenceMemoryBytes: 600 * 1024 ** 2 });
    const small = openInference({ settings, log: silentLog });
    try {
      const path = await written(['One at a time']);
      const others = ['faces', 'objects', 'feature'] as const;
      const tasks = ['embedding', 'labels', 'text', ...sample('families', others, 1)] as const;
      const [one, two] = await Promise.all([
        small.analyze({ path }, tasks),
        small.analyze({ path }, tasks),
      ]);
      const all = await inference.analyze({ path }, tasks);
      expect(one.results.text?.map(({ text }) => text)).toEqual(['One at a time']);
      expect(dot(one.results.embedding!, all.results.embedding!)).toBeGreaterThan(0.999);
      expect(two.results.labels?.[0]).toEqual(one.results.labels![0]!);
    } finally {
      await small.close();
    }
  }, 300_000);

  test('all families together stay within the memory limit', async () => {
    const path = await written(['The whole set']);
    await inference.analyze({ path }, ['faces', 'embedding', 'objects', 'text', 'feature']);
    expect(inference.memory()).toBeGreaterThan(50e6);
    expect(inference.memory()).toBeLessThan(600e6);
  });
});

describe("a hub's models in the folder", () => {
  const tries: Inference[] = [];
  afterAll(() => Promise.all(tries.map((inference) => inference.close())));

  async function library(fill: (models: string) => Promise<void>) {
    const dataDir = await mkdtemp(join(folder, 'library-'));
    await fill(join(dataDir, 'models'));
    clearModelCache();
    const settings = { ...defaultSettings(), dataDir };
    const inference = openInference({ settings, log: silentLog });
    tries.push(inference);
    return { settings, inference };
  }

  test('CLIP gives the dimension, and goes before the default set', async () => {
    const { settings, inference } = await library((models) =>
      writeClip(join(models, 'clip/ViT-B-32__openai'), { dimension: 512, side: 224 }),
    );
    expect(getCapabilities(settings).embedding).toEqual({
      modelId: 'ViT-B-32__openai',
      dimension: 512,
    });
    const [red, blue, query] = await Promise.all([
      inference.embedImage(await plain('#f00')),
      inference.embedImage(await plain('#00f')),
      inference.embedQuery('lower'),
    ]);
    for (const vector of [red, blue, query]) {
      expect(vector).toHaveLength(512);
      expect(dot(vector, vector)).toBeCloseTo(1, 4);
    }
    expect(dot(red, blue)).toBeLessThan(0.99);
    const other = withModels(settings.dataDir);
    expect(getCapabilities(other).embedding?.modelId).toBe('ViT-B-32__openai');
  });

  test('InsightFace: SCRFD finds, ArcFace embeds, in its own dimension', async () => {
    const { settings, inference } = await library((models) =>
      writeFaceModels(join(models, 'facial-recognition/buffalo_l'), 512),
    );
    expect(getCapabilities(settings).faces).toEqual({ modelId: 'buffalo_l', dimension: 512 });
    const picture = await plain('#a86', 640);
    const { results } = await inference.analyze(picture, ['faces']);
    const [face, ...others] = results.faces!;
    expect(others).toEqual([]);
    expect(face!.vector).toHaveLength(512);
    expect(face!.box.x1).toBeCloseTo((320 - 80) / 640, 3);
    expect(face!.box.y2).toBeCloseTo((320 + 96) / 640, 3);
    expect(face!.landmarks[2]).toEqual({ x: 0.5, y: 0.5 });
    const [again] = await inference.embedFaces(picture, [face!]);
    expect(dot(again!, face!.vector)).toBeCloseTo(1, 4);
  });

  test('without models every call says so at once, and no process is started', async () => {
    const { settings, inference } = await library(async () => {});
    expect(getCapabilities(settings)).toEqual({});
    const failures = await Promise.all([
      catchError(inference.embedQuery('x')),
      catchError(inference.embedSentences(['x'])),
      catchError(inference.detectFaces({ path: 'x.jpg' })),
      catchError(inference.analyze({ path: 'x.jpg' }, ['text', 'feature'])),
    ]);
    expect(failures.map((error) => error?.name)).toEqual(Array(4).fill('ModelMissing'));
    expect(inference.memory()).toBe(0);
  });

  test('an incomplete folder is not offered as a model', async () => {
    const { settings } = await library(async (models) => {
      await writeClip(join(models, 'clip/half'), { dimension: 64, side: 32 });
      await rm(join(models, 'clip/half/textual/model.onnx'));
      await Bun.write(join(models, 'facial-recognition/x/detection/model.onnx'), 'nonsense');
      await Bun.write(join(models, 'facial-recognition/x/recognition/model.onnx'), 'nonsense');
    });
    expect(getCapabilities(settings)).toEqual({});
  });
});

skipWithout('models', 'media').describe('on real photos', () => {
  /** As rendering leaves it. */
  async function preview(name: string): Promise<{ path: string }> {
    const path = join(folder, 'derived', `${Bun.hash(name)}.jpg`);
    await sharp(join(MEDIA!, name), { failOn: 'none' })
      .autoOrient()
      .resize(1440, 1440, { fit: 'outside', withoutEnlargement: true })
      .toFile(path);
    return { path };
  }

  test('a shop full of bottles: the person, the cups, and what is on the labels', async () => {
    const image = await preview('text/craft-beer.jpg');
    const { results } = await inference.analyze(image, ['faces', 'objects', 'text', 'labels']);
    expect(results.faces!.filter(({ score }) => score > 0.8)).toHaveLength(1);
    expect(results.objects!.map(({ label }) => label)).toEqual(
      expect.arrayContaining(['person', 'cup']),
    );
    const words = results.text!.map(({ text }) => text).join(' ');
    expect(words).toContain('BARREL AGED');
    for (const { box } of results.objects!) {
      expect(box.x1).toBeLessThan(box.x2);
      expect(box.y2).toBeLessThanOrEqual(1);
    }
  }, 300_000);

  test('handwriting is read; a landscape holds neither faces nor text', async () => {
    const notes = await inference.readText(await preview('text/handwritten-notes.jpg'));
    expect(notes.map(({ text }) => text).join('\n')).toContain('In progress');
    const rocks = await preview('nature/el_torcal_rocks.jpg');
    const { results } = await inference.analyze(rocks, ['faces', 'text', 'objects']);
    expect(results).toEqual({ faces: [], text: [], objects: [] });
  }, 300_000);

  test('photos are found by descriptions of their content', async () => {
    const names = [
      'nature/notocactus_minimus.jpg',
      'nature/el_torcal_rocks.jpg',
      'text/craft-beer.jpg',
    ];
    const images = await Promise.all(
      names.map(async (name) => inference.embedImage(await preview(name))),
    );
    const found = async (query: string) => {
      const vector = await inference.embedQuery(query);
      const scores = images.map((image) => dot(image, vector));
      return names[scores.indexOf(Math.max(...scores))];
    };
    expect(await found('mountain')).toBe(names[1]);
    expect(await found('drinks in a bar')).toBe(names[2]);
    expect(await found('flower')).toBe(names[0]);
  }, 300_000);
});
