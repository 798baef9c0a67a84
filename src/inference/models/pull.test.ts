import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { smallTflite } from '../../../test/support/tflite.ts';
import { convertTflite } from '../prepare/tflite/convert.ts';
import { CATALOGUE } from './catalogue.ts';
import type { CatalogueModel } from './catalogue-entry.ts';
import { pullModels, readNotes } from './pull.ts';
import { findRegistry, splitPackage } from './registry.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const toBytes = (text: string) => new TextEncoder().encode(text);

/** A tar archive, as npm packs them. */
async function tar(files: Readonly<Record<string, Uint8Array>>): Promise<Buffer> {
  const archive = pack();
  for (const [name, body] of Object.entries(files)) archive.entry({ name }, Buffer.from(body));
  archive.finalize();
  return Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Uint8Array>));
}

const WEIGHTS = toBytes('weights '.repeat(40_000));
const TFLITE = smallTflite();
const PACKAGE = gzipSync(
  await tar({
    'package/README': toBytes('x'),
    'package/a.bin': WEIGHTS,
    'package/m.tflite': TFLITE,
  }),
);

/** A registry and a hub in one, whose behaviour each test may change. */
let server: Bun.Server<undefined>;
let integrity: string;
let asked: string[] = [];
let root: string;

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    fetch(request) {
      const { pathname, origin } = new URL(request.url);
      asked.push(pathname + (request.headers.has('range') ? ' rest' : ''));
      if (pathname === '/@made%2fmodels/1.0.0' || pathname === '/plain/1.0.0') {
        return Response.json({ dist: { tarball: `${origin}/models.tgz`, integrity } });
      }
      const from = Number(/bytes=(\d+)-/.exec(request.headers.get('range') ?? '')?.[1] ?? 0);
      const body =
        pathname === '/models.tgz' ? PACKAGE : pathname === '/a.bin' ? WEIGHTS : undefined;
      if (!body) return new Response(null, { status: 404 });
      const headers = { 'x-linked-etag': `"${sha256(body)}"` };
      if (from > 0) return new Response(body.subarray(from), { status: 206, headers });
      return new Response(body, { headers });
    },
  });
});
afterAll(() => server.stop(true));
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'safelight-pull-'));
  integrity = `sha512-${createHash('sha512').update(PACKAGE).digest('base64')}`;
  asked = [];
});
afterEach(() => rm(root, { recursive: true, force: true }));

const registry = () => `${server.url.origin}/`;
const pull = (model: CatalogueModel, from?: string) =>
  pullModels([model], { root, registry, from });
const catchError = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: Error) => error,
  );

const model = (over: Partial<CatalogueModel['files'][number]> = {}): CatalogueModel => ({
  id: 'objects/made',
  set: 'default',
  use: 'tests',
  licence: 'none',
  origin: 'made up',
  files: [
    {
      path: 'sub/a.bin',
      sha256: sha256(WEIGHTS),
      bytes: WEIGHTS.length,
      sources: [{ npm: '@made/models@1.0.0', path: 'package/a.bin' }],
      ...over,
    },
  ],
});

const FILE = 'objects/made/sub/a.bin';
const read = async () => new Uint8Array(await readFile(join(root, FILE)));

test('a file comes out of a package of the registry, with notes beside it', async () => {
  await pull(model());
  expect(await read()).toEqual(WEIGHTS);
  expect((await readNotes(root, 'objects/made'))?.files).toEqual({
    'sub/a.bin': { sha256: sha256(WEIGHTS), bytes: WEIGHTS.length },
  });
  expect(existsSync(join(root, '.downloads'))).toBe(false);
  asked = [];
  await pull(model());
  expect(asked).toEqual([]);
});

test('an archive that is not what the registry describes is refused', async () => {
  integrity = `sha512-${createHash('sha512').update('other').digest('base64')}`;
  const failure = await catchError(pull(model()));
  expect(failure?.message).toContain('not what the registry describes');
  expect(existsSync(join(root, FILE))).toBe(false);
});

test('a wrong digest is refused and the next source is tried', async () => {
  const wrong = model({ sha256: sha256(toBytes('other')), bytes: undefined });
  expect((await catchError(pull(wrong)))?.message).toContain('the digest is');
  expect(existsSync(join(root, FILE))).toBe(false);
  const second = model({
    sources: [
      { npm: 'nowhere@1.0.0', path: 'package/a.bin' },
      { npm: 'plain@1.0.0', path: 'package/missing.bin' },
      { url: `${server.url.origin}/a.bin` },
    ],
  });
  await pull(second);
  expect(await read()).toEqual(WEIGHTS);
});

describe('a model that no host has', () => {
  const unreachable = {
    ...model({ sources: [{ url: 'http://127.0.0.1:1/a.bin' }] }),
    id: 'ocr/best',
  };
  const packed: CatalogueModel = { ...model(), id: 'ocr/packed' };

  test('keeps no other from being installed, and leaves no folder', async () => {
    const failure = await catchError(
      pullModels([unreachable, { ...unreachable, id: 'ocr/second' }, model()], { root, registry }),
    );
    expect(failure?.message).toMatch(/ocr\/best\/sub\/a\.bin cannot [^]*ocr\/second/);
    expect(existsSync(join(root, 'ocr/best'))).toBe(false);
    expect(await read()).toEqual(WEIGHTS);
  });

  test('is replaced by its fallback, which goes when it comes', async () => {
    await pull({ ...unreachable, fallback: packed });
    expect(existsSync(join(root, 'ocr/packed/sub/a.bin'))).toBe(true);
    expect(existsSync(join(root, 'ocr/best'))).toBe(false);
    await pull({ ...model(), id: 'ocr/best', fallback: packed });
    expect(existsSync(join(root, 'ocr/best/sub/a.bin'))).toBe(true);
    expect(existsSync(join(root, 'ocr/packed'))).toBe(false);
  });

  test('tells its own reasons where there is no fallback either', async () => {
    const nowhere = { ...unreachable, id: 'ocr/packed' };
    const failure = await catchError(pull({ ...unreachable, fallback: nowhere }));
    expect(failure?.message).toStartWith('ocr/best/sub/a.bin');
  });
});

test('an interrupted download is resumed; a wrong start is downloaded again', async () => {
  const part = join(root, `${FILE}.part`);
  const hub = model({ sources: [{ url: `${server.url.origin}/a.bin` }] });
  await Bun.write(part, WEIGHTS.subarray(0, 100_000));
  await pull(hub);
  expect(await read()).toEqual(WEIGHTS);
  expect(asked).toEqual(['/a.bin rest']);
  await rm(join(root, FILE));
  await Bun.write(part, 'x'.repeat(100_000));
  await pull(hub);
  expect(await read()).toEqual(WEIGHTS);
  expect(existsSync(part)).toBe(false);
});

test('a file that is published without a pin is compared with what its hub says', async () => {
  const free = model({
    sha256: undefined,
    bytes: undefined,
    sources: [{ url: `${server.url.origin}/a.bin` }],
  });
  await pull(free);
  expect((await readNotes(root, 'objects/made'))?.files['sub/a.bin']?.sha256).toBe(sha256(WEIGHTS));
  // Damaged later: the notes know better.
  await Bun.write(join(root, FILE), 'x'.repeat(WEIGHTS.length));
  await pull(free);
  expect(await read()).toEqual(WEIGHTS);
});

describe('without a network', () => {
  const offline = (from: string, one: CatalogueModel = model()) =>
    pullModels([one], {
      root,
      from,
      registry: () => {
        throw new Error('the network was asked');
      },
    });

  test('from a folder laid out like ours, and from one with the published names', async () => {
    const ours = join(root, 'ours');
    await mkdir(join(ours, 'objects/made/sub'), { recursive: true });
    await Bun.write(join(ours, FILE), WEIGHTS);
    await offline(ours);
    expect(await read()).toEqual(WEIGHTS);
    await rm(join(root, 'objects'), { recursive: true });
    const theirs = join(root, 'theirs');
    await Bun.write(join(theirs, 'a.bin'), WEIGHTS);
    await offline(theirs);
    expect(await read()).toEqual(WEIGHTS);
  });

  test('from a folder as a hub has it: of several files of one name the one that is meant', async () => {
    const hub = join(root, 'hub');
    const sources = [{ npm: '@made/models@1.0.0', path: 'package/models/Maker/one/onnx/a.bin' }];
    for (const folder of ['Maker/one', 'one', '.']) {
      await rm(hub, { recursive: true, force: true });
      await Bun.write(join(hub, folder, 'onnx/a.bin'), WEIGHTS);
      await Bun.write(join(hub, 'a.bin'), toBytes('of another model'));
      await offline(hub, model({ sources }));
      expect(await read()).toEqual(WEIGHTS);
      await rm(join(root, 'objects'), { recursive: true });
    }
  });

  test('installs from an archive and names a missing file', async () => {
    const archive = join(root, 'models.tar');
    await Bun.write(archive, await tar({ [`models/${FILE}`]: WEIGHTS }));
    await offline(archive);
    expect(await read()).toEqual(WEIGHTS);
    const other = { ...model(), id: 'objects/other' };
    const failure = await catchError(
      offline(archive, { ...other, files: [{ ...other.files[0]!, path: 'b', sources: [] }] }),
    );
    expect(failure?.message).toContain('has no objects/other/b');
  });
});

test('TFLite models are converted; the digest is that of the result', async () => {
  const onnx = convertTflite(TFLITE);
  const made = model({
    path: 'model.onnx',
    sha256: sha256(onnx),
    bytes: onnx.length,
    convert: { from: 'tflite', sha256: sha256(TFLITE) },
    sources: [{ npm: '@made/models@1.0.0', path: 'package/m.tflite' }],
  });
  await pull(made);
  expect(new Uint8Array(await readFile(join(root, 'objects/made/model.onnx')))).toEqual(
    new Uint8Array(onnx),
  );
  expect(existsSync(join(root, 'objects/made/model.onnx.part'))).toBe(false);
});

test('the catalogue pins every file of the sets that come from packages', () => {
  for (const { hub, files, id } of CATALOGUE) {
    for (const file of files) {
      if (!hub) expect(file.sha256, id).toMatch(/^[\da-f]{64}$/);
      for (const source of file.sources) {
        if ('npm' in source) expect(splitPackage(source.npm).version).toMatch(/^\d+\.\d+\.\d+$/);
        else expect(source.url).toStartWith('https://');
      }
    }
  }
});

test('the registry is the one that npm is configured for', () => {
  expect(findRegistry({ npm_config_registry: 'https://mirror.example/npm' })).toBe(
    'https://mirror.example/npm/',
  );
  expect(findRegistry({})).toMatch(/^https?:\/\/.*\/$/);
});
