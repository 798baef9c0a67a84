import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pullModels } from '../../src/inference/models/pull.ts';
import { findRegistry } from '../../src/inference/models/registry.ts';
import { PACKED_LATIN } from '../../src/inference/models/text-models.ts';
import { fetchRequirement } from './requirements.ts';

const FOLDER = join(import.meta.dir, '../../.cache/latin-recognizer');

/**
 * PaddleOCR's older recognizer of Latin letters; undefined where it is
 * not here and cannot be fetched: the test is skipped.
 */
export const LATIN_RECOGNIZER = await fetchRequirement('Latin recognizer', findOrPull);

async function findOrPull(): Promise<string> {
  if (existsSync(join(FOLDER, PACKED_LATIN.id, 'model.json'))) return FOLDER;
  await pullModels([PACKED_LATIN], { root: FOLDER, registry: findRegistry });
  return FOLDER;
}
