import { expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { useDatabase } from '../../../test/support/database.ts';
import { writeClip, writeFaceModels } from '../../../test/support/generated-models.ts';
import { writeSpeech } from '../../../test/support/generated-speech.ts';
import { call, seed, testApp } from '../../../test/support/harness.ts';
import { withModels } from '../../../test/support/models.ts';
import { skipWithout } from '../../../test/support/requirements.ts';
import { clearModelCache } from '../../inference/capabilities.ts';
import { DEFAULTS } from '../system-config/index.ts';
import { getLocalFeatures, createUserConfig } from './config.ts';

const database = await useDatabase();

test('offers exactly the features that the installed models support', async () => {
  const app = testApp(database);
  const me = await seed(database).user();
  const models = join(database.deps.settings.dataDir, 'models');
  const offered = async () => {
    clearModelCache();
    const { body } = await call(app, 'GET /server/features');
    const config = (await call(app, 'GET /config', { as: me })).body;
    const { facialRecognition, smartSearch, ocr, duplicateDetection, speech } = body;
    expect(config.machineLearning.facialRecognition.enabled).toBe(facialRecognition);
    expect(config.machineLearning.clip.enabled).toBe(smartSearch);
    expect(config.machineLearning.enabled).toBe(facialRecognition || smartSearch);
    return { facialRecognition, smartSearch, ocr, duplicateDetection, speech };
  };
  const nothing = {
    facialRecognition: false,
    smartSearch: false,
    ocr: false,
    duplicateDetection: false,
    speech: undefined,
  };
  expect(await offered()).toEqual(nothing);
  await writeFaceModels(join(models, 'facial-recognition/made'), 64);
  expect(await offered()).toEqual({ ...nothing, facialRecognition: true });
  await writeClip(join(models, 'clip/made'), { dimension: 64, side: 32 });
  expect(await offered()).toEqual({ ...nothing, facialRecognition: true, smartSearch: true });
  await rm(models, { recursive: true });
  await writeSpeech(join(models, 'speech/made'), { low: [], high: [] });
  expect(await offered()).toEqual({ ...nothing, speech: true });
  await rm(models, { recursive: true });
  expect(await offered()).toEqual(nothing);
});

skipWithout('models').test('offers all features with the default models', () => {
  const settings = withModels(database.deps.settings.dataDir);
  expect(getLocalFeatures(settings, DEFAULTS)).toMatchObject({
    facialRecognition: true,
    smartSearch: true,
    ocr: true,
    duplicateDetection: true,
  });
  expect(
    createUserConfig(settings, new Request('http://nas/'), DEFAULTS).machineLearning
      .duplicateDetection.enabled,
  ).toBe(true);
});

test('offers mail when a mail server is set up', async () => {
  const app = testApp(database);
  const offers = async () => (await call(app, 'GET /server/features')).body.email;
  expect(await offers()).toBe(false);
  const save = (enabled: boolean) => database.sql`
    insert into system_config (section, value)
    values ('notifications', jsonb_build_object('smtp', jsonb_build_object('enabled', ${enabled}::boolean)))
    on conflict (section) do update set value = excluded.value`;
  await save(true);
  expect(await offers()).toBe(true);
  await save(false);
  expect(await offers()).toBe(false);
});
