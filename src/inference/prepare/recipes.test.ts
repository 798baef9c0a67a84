import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODELS } from '../../../test/support/models.ts';
import { skipWithout } from '../../../test/support/requirements.ts';
import { sha256, toHex } from '../../core/hash.ts';
import { PREPARATION, type Recipe } from '../models/prepared.ts';
import { RECIPES } from './recipes.ts';

skipWithout('models').describe('the default set', () => {
  // Servers take a file of this version for what they would make. Whoever changes a digest increases PREPARATION.
  test.each<[Recipe, string, string]>([
    [
      'objects',
      'objects/efficientdet-lite2',
      'cd931e0e75c2fc51c5df1cba126c824f978650d49493a06832b42aed2270d0d1',
    ],
    [
      'objects-integers',
      'objects/efficientdet-lite2',
      '802ab86f79ddb790405ea882434b9376fcddb064549ae692ce5b4ec8a3aeeea5',
    ],
    [
      'text-blocked',
      'ocr/pp-ocrv5-mobile/detection',
      'b8128754d1db497a53fc1e702883ee66e4470d3c9cff3d4ea7d5471ca72db5b7',
    ],
    [
      'text-integers',
      'ocr/pp-ocrv5-mobile/detection',
      'e87e534a48042980197d42a674a4f9e6efd961787f54e03725590de31938a92c',
    ],
    [
      'text-blocked',
      'ocr/pp-ocrv5-mobile/recognition',
      'a272692cb0a8d80dff4d5280f70471ebb241dc47da22cb8e7a1bd11a31e6e5ee',
    ],
  ])('%s gives the same bytes of %s as long as the version is the same', (recipe, id, digest) => {
    const made = RECIPES[recipe](readFileSync(join(MODELS!, id, 'model.onnx')));
    expect([PREPARATION, toHex(sha256(made))]).toEqual([1, digest]);
  });
});
