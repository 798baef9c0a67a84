import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CATALOGUE } from '../../src/inference/models/catalogue.ts';
import { pullModels } from '../../src/inference/models/pull.ts';
import { findRegistry } from '../../src/inference/models/registry.ts';

const FOLDER =
  process.env['SAFELIGHT_TEST_SPEECH_MODELS'] ??
  join(import.meta.dir, '../../.cache/speech-models');
const SET = CATALOGUE.filter(({ set }) => set === 'speech');

/** The real Whisper; undefined where it is not here and cannot be fetched: the test is skipped. */
export const SPEECH_MODELS = await findOrPull();

async function findOrPull(): Promise<string | undefined> {
  if (SET.every(({ id }) => existsSync(join(FOLDER, id, 'model.json')))) return FOLDER;
  try {
    await pullModels(SET, { root: FOLDER, registry: findRegistry });
    return FOLDER;
  } catch (error) {
    console.warn(
      `Tests of speech are skipped, for the model cannot be had: ${(error as Error).message}`,
    );
    return undefined;
  }
}

/** As if it had been fetched into this data folder. */
export async function installSpeech(dataDir: string): Promise<void> {
  await mkdir(join(dataDir, 'models'), { recursive: true });
  await symlink(join(SPEECH_MODELS!, 'speech'), join(dataDir, 'models/speech'));
}

/** Eleven seconds of the inaugural address of 1961, a work of the U.S. government: public domain. */
export const INAUGURAL = join(import.meta.dir, '../fixtures/inaugural-1961.opus');
