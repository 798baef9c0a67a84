import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CATALOGUE } from '../../src/inference/models/catalogue.ts';
import { pullModels } from '../../src/inference/models/pull.ts';
import { findRegistry } from '../../src/inference/models/registry.ts';
import { fetchRequirement } from './requirements.ts';

const FOLDER =
  process.env['SAFELIGHT_TEST_SPEECH_MODELS'] ??
  join(import.meta.dir, '../../.cache/speech-models');
const SET = CATALOGUE.filter(({ set }) => set === 'speech');

/** The real Whisper; undefined where it is not here and cannot be fetched: the test is skipped. */
const SPEECH_MODELS = await fetchRequirement('speech models', findOrPull);

async function findOrPull(): Promise<string> {
  if (SET.every(({ id }) => existsSync(join(FOLDER, id, 'model.json')))) return FOLDER;
  await pullModels(SET, { root: FOLDER, registry: findRegistry });
  return FOLDER;
}

/** As if it had been fetched into this data folder. */
export async function installSpeech(dataDir: string): Promise<void> {
  await mkdir(join(dataDir, 'models'), { recursive: true });
  await symlink(join(SPEECH_MODELS!, 'speech'), join(dataDir, 'models/speech'));
}

/** Eleven seconds of the inaugural address of 1961, a work of the U.S. government: public domain. */
export const INAUGURAL = join(import.meta.dir, '../fixtures/inaugural-1961.opus');
