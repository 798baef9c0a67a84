import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defaultSettings, type Settings } from '../../src/core/settings.ts';
import { CATALOGUE } from '../../src/inference/models/catalogue.ts';
import { getPreparedFolder } from '../../src/inference/models/prepared.ts';
import { pullModels } from '../../src/inference/models/pull.ts';
import { findRegistry } from '../../src/inference/models/registry.ts';
import { prepareModels } from '../../src/inference/preparation.ts';
import { fetchRequirement } from './requirements.ts';

const FOLDER = process.env['SAFELIGHT_TEST_MODELS'] ?? join(import.meta.dir, '../../.cache/models');
const DEFAULT_SET = CATALOGUE.filter(({ set }) => set === 'default');

/** The real models; undefined where they are not here and cannot be fetched: the test is skipped. */
export const MODELS = await fetchRequirement('models', findOrPull);

async function findOrPull(): Promise<string> {
  if (!DEFAULT_SET.every(({ id }) => existsSync(join(FOLDER, id, 'model.json')))) {
    await pullModels(DEFAULT_SET, { root: FOLDER, registry: findRegistry });
  }
  // Else each library of a test would prepare them for itself.
  if (!existsSync(getPreparedFolder(FOLDER))) await prepareModels([FOLDER]);
  return FOLDER;
}

/** Settings of a library that has the models, and perhaps others of its own below its data folder. */
export const withModels = (dataDir: string, over: Partial<Settings> = {}): Settings => ({
  ...defaultSettings(),
  dataDir,
  ...(MODELS === undefined ? {} : { modelsDir: MODELS }),
  ...over,
});
