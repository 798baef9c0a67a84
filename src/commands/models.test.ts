import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeClip } from '../../test/support/generated-models.ts';
import { MODELS } from '../../test/support/models.ts';
import { getProgram } from '../../test/support/program.ts';
import { skipWithout } from '../../test/support/requirements.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-models-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function models(...words: string[]) {
  const child = Bun.spawn([...getProgram(), 'models', ...words], {
    cwd: folder,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, error };
}

test('list prints every model that can be downloaded, with its set and licence', async () => {
  const { code, out } = await models('list', '--data', join(folder, 'empty'));
  expect(code).toBe(0);
  expect(out).toMatch(/^facial-recognition\/blazeface-sface +set default +Apache-2\.0 /m);
  expect(out).not.toContain('installed');
});

test('list tells what an interrupted download has left apart from what is installed', async () => {
  const root = join(folder, 'halves/models');
  await mkdir(join(root, 'ocr/pp-ocrv5-slavic'), { recursive: true });
  await mkdir(join(root, 'ocr/nobody-knows'), { recursive: true });
  await Bun.write(join(root, 'ocr/pp-ocrv5-latin/dict.txt'), 'a');
  const { out } = await models('list', '--data', join(folder, 'halves'));
  expect(out).toMatch(/^ocr\/pp-ocrv5-slavic +incomplete \(set ocr\), 0\.0 MB/m);
  expect(out).toMatch(/^ocr\/pp-ocrv5-latin +incomplete/m);
  expect(out).not.toContain('nobody-knows');
});

test.each([
  [['pull', '--set', 'nothing'], 2, 'default, ocr, speech, speech-base, clip'],
  [['burn'], 2, "Unknown action 'burn'"],
  [['rm'], 2, 'rm needs a model'],
  [['rm', '../..'], 1, 'There is no ../..'],
  [['pull', '--from', '/nowhere'], 1, '/nowhere does not exist'],
])('%p exits with code %p and an explanation', async (words, code, text) => {
  const result = await models(...words, '--to', join(folder, 'empty'));
  expect(result.code).toBe(code);
  expect(result.error).toContain(text);
});

test('use chooses the model of the search, confirm ends the way back', async () => {
  const data = join(folder, 'data');
  await writeClip(join(data, 'models/clip/made'), { dimension: 16, side: 32 });
  const read = () => Bun.file(join(data, 'models/search.json')).json();
  expect((await models('use', 'default', '--data', data)).code).toBe(0);
  expect(await read()).toEqual({ model: 'conse-1' });
  expect((await models('use', 'clip/made', '--data', data)).out).toContain('clip/made as soon as');
  expect((await models('confirm', '--data', data)).code).toBe(0);
  expect(await read()).toEqual({ model: 'made', confirmed: 'made' });
  const wrong = await models('use', 'clip/other', '--data', data);
  expect([wrong.code, wrong.error]).toEqual([1, expect.stringContaining('clip/made, default')]);
});

skipWithout('models').describe('with the default set', () => {
  test('pull downloads missing and damaged files only, verify reports damage, rm deletes a model', async () => {
    const to = ['--to', join(folder, 'models')];
    const pulled = await models('pull', '--from', MODELS!, ...to);
    expect(pulled.out).toContain('got text/all-MiniLM-L6-v2/model.onnx');
    expect((await models('verify', ...to)).out).not.toContain('damaged');

    await Bun.write(join(folder, 'models/tags/mobilenet-v1/labels.txt'), 'nonsense');
    const damaged = await models('verify', ...to);
    expect([damaged.code, damaged.out]).toEqual([
      1,
      expect.stringMatching(/^damaged +tags\/mobilenet-v1: labels\.txt$/m),
    ]);
    const again = await models('pull', '--from', MODELS!, ...to);
    expect(again.out.match(/^got .*$/gm)).toEqual(['got tags/mobilenet-v1/labels.txt']);
    expect((await models('verify', ...to)).code).toBe(0);

    const countPrepared = () => readdirSync(join(folder, 'models/.prepared')).length;
    const prepared = countPrepared();
    expect((await models('rm', 'ocr/pp-ocrv5-mobile', ...to)).code).toBe(0);
    expect(countPrepared()).toBeLessThan(prepared);
    expect(existsSync(join(folder, 'models/ocr/pp-ocrv5-mobile'))).toBe(false);
  }, 300_000);
});
