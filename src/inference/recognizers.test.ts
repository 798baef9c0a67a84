import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { renderPage } from '../../test/support/document-pages.ts';
import { LATIN_RECOGNIZER } from '../../test/support/latin-recognizer.ts';
import { withModels } from '../../test/support/models.ts';
import { skipWithout } from '../../test/support/requirements.ts';
import { silentLog } from '../core/log.ts';
import { openInference } from './client.ts';
import { findModels } from './models/installed.ts';
import type { TextLine } from './types.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-recognizers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function install(root: string, name: string, files: readonly string[]): Promise<void> {
  for (const file of files) await Bun.write(join(folder, root, 'ocr', name, file), '');
}
const READS = ['recognition/model.onnx', 'dict.txt'];
const FINDS = ['detection/model.onnx', ...READS];

test('recognizers of other alphabets belong to the model that finds the lines', async () => {
  const find = (...roots: string[]) => findModels(roots.map((root) => join(folder, root))).text;
  await install('a', 'pp-ocrv5-slavic', READS);
  await install('a', 'half', ['dict.txt']);
  expect(find('a')).toBeUndefined();
  await install('b', 'pp-ocrv5-mobile', FINDS);
  await install('b', 'pp-ocrv5-slavic', READS);
  expect(find('b')).toMatchObject({ id: 'pp-ocrv5-mobile+pp-ocrv5-slavic' });
  const both = find('a', 'b')!;
  expect(both.id).toBe('pp-ocrv5-mobile+pp-ocrv5-slavic');
  const [main, slavic] = both.recognizers;
  expect(both.detection).toBe(join(folder, 'b/ocr/pp-ocrv5-mobile/detection/model.onnx'));
  expect(main!.dictionary).toBe(join(folder, 'b/ocr/pp-ocrv5-mobile/dict.txt'));
  expect(slavic!.dictionary).toBe(join(folder, 'a/ocr/pp-ocrv5-slavic/dict.txt'));
  await install('a', 'own', FINDS);
  expect(find('a', 'b')!.id).toBe('own+pp-ocrv5-slavic');
});

skipWithout('models', 'Latin recognizer').describe('two recognizers', () => {
  const LINES = [
    'Straßenbahn Haltestelle',
    'Frische Brötchen täglich',
    'Bitte nicht stören',
    'Proszę zamykać drzwi',
    'Emergency exit only',
  ];
  async function read(dataDir: string): Promise<TextLine[]> {
    const path = join(dataDir, 'derived/page.jpg');
    const page = await renderPage({ name: 'page', font: 'DejaVu Sans', size: 34, lines: LINES });
    await Bun.write(path, await sharp(page).resize(768).blur(0.9).jpeg({ quality: 40 }).toBuffer());
    const inference = openInference({ settings: withModels(dataDir), log: silentLog });
    try {
      return [...(await inference.readText({ path }))];
    } finally {
      await inference.close();
    }
  }

  test('of each line the text of the more certain one is taken', async () => {
    const alone = await read(join(folder, 'alone'));
    const data = join(folder, 'both');
    await mkdir(join(data, 'models'), { recursive: true });
    await symlink(join(LATIN_RECOGNIZER!, 'ocr'), join(data, 'models/ocr'));
    const together = await read(data);
    expect(together).toHaveLength(LINES.length);
    expect(alone).toHaveLength(LINES.length);
    expect(together.map(({ text }) => text)).toContain('Bitte nicht stören');
    const changed = together.filter(({ text }, at) => text !== alone[at]!.text);
    expect(changed.length).toBeWithin(1, LINES.length);
    for (const [at, { score, text }] of together.entries()) {
      const before = alone[at]!;
      if (text === before.text) expect(score).toBeGreaterThanOrEqual(before.score);
      else expect(score).toBeGreaterThan(before.score);
    }
    const count = (lines: readonly TextLine[]) =>
      lines.filter(({ text }, at) => text === LINES[at]).length;
    expect(count(together)).toBeGreaterThan(count(alone));
  }, 120_000);
});
