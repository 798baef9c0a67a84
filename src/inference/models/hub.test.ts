import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMIT, type ModelHub, sha256, startModelHub } from '../../../test/support/model-hub.ts';
import { CATALOGUE } from './catalogue.ts';
import { findHub } from './hub.ts';
import { findModels } from './installed.ts';
import { pullModels, readNotes } from './pull.ts';

const NEXT_COMMIT = 'b'.repeat(40);
const MODEL = CATALOGUE.find(({ set }) => set === 'clip')!;
const REPOSITORY = MODEL.hub!.repository;

let root: string;
let hub: ModelHub;

beforeAll(async () => {
  hub = await startModelHub(REPOSITORY);
});
afterAll(() => hub.stop());
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'safelight-hub-'));
  [hub.head, hub.asked.length, hub.damaged] = [COMMIT, 0, undefined];
});
afterEach(() => rm(root, { recursive: true, force: true }));

const pull = (over: Partial<Parameters<typeof pullModels>[1]> = {}) =>
  pullModels([MODEL], { root, registry: () => '', hub: hub.url, ...over });
const read = (path: string) => readFile(join(root, MODEL.id, path));

test('a model of a hub is installed with the commit and the digests that the hub states', async () => {
  await pull();
  expect(findModels([root]).clip).toMatchObject({ id: 'ViT-B-32__openai', dimension: 16 });
  const notes = await readNotes(root, MODEL.id);
  expect(notes).toMatchObject({ licence: 'MIT', repository: REPOSITORY, revision: COMMIT });
  const bytes = new Uint8Array(await readFile(join(hub.source, 'config.json')));
  expect(notes?.files['config.json']).toEqual({ sha256: sha256(bytes), bytes: bytes.length });
  expect(existsSync(join(root, MODEL.id, 'visual/model.armnn'))).toBe(false);
  expect(existsSync(join(root, MODEL.id, 'README.md'))).toBe(false);
  // Later commits are another model.
  hub.head = NEXT_COMMIT;
  hub.asked.length = 0;
  await pull();
  expect(hub.asked.filter((path) => !path.startsWith('/api/'))).toEqual([]);
});

test.each(['visual/model.onnx', 'config.json'])(
  'another %s than stated is refused',
  async (path) => {
    hub.damaged = path;
    await expect(pull()).rejects.toThrow(`${path}: the digest is`);
    expect(existsSync(join(root, MODEL.id, path))).toBe(false);
    expect(findModels([root]).clip).toBeUndefined();
  },
);

test('an interrupted download goes on where it stopped', async () => {
  const whole = await readFile(join(hub.source, 'visual/model.onnx'));
  await Bun.write(join(root, MODEL.id, 'visual/model.onnx.part'), whole.subarray(0, 1000));
  await pull();
  expect(hub.asked).toContain('/storage/visual/model.onnx bytes=1000-');
  expect(await read('visual/model.onnx')).toEqual(whole);
});

test('a hub that is unreachable or lacks a file is named', async () => {
  await expect(pull({ hub: 'http://127.0.0.1:1' })).rejects.toThrow();
  hub.head = 'not a commit';
  await expect(pull()).rejects.toThrow('does not say which commit main is');
  expect(existsSync(join(root, MODEL.id))).toBe(false);
});

test('without a network the files come from a folder', async () => {
  await pull({ from: hub.source, hub: 'http://127.0.0.1:1' });
  expect(findModels([root]).clip?.dimension).toBe(16);
});

test('a mirror is named by the variable that the tools of the hub read', () => {
  expect(findHub({ HF_ENDPOINT: 'https://mirror.example/' })).toBe('https://mirror.example');
  expect(findHub({})).toBe('https://huggingface.co');
});
