import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { writeClip } from '../../../../test/support/generated-models.ts';
import { seed, type TestDatabase } from '../../../../test/support/harness.ts';
import { addFile, drainLane, openMediaLibrary } from '../../../../test/support/processing.ts';
import type { Settings } from '../../../core/settings.ts';
import { clearModelCache } from '../../../inference/capabilities.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { handleRenderPerson } from '../../people/thumbnail/thumbnail.handlers.ts';
import { handleRenderEdits } from '../edits/edits.handlers.ts';
import { renderImage } from '../jobs.ts';
import { handleRenderImage } from './thumbnails.handlers.ts';

let database: TestDatabase;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openMediaLibrary());
});
afterAll(() => close());
beforeEach(async () => {
  await database.sql`truncate job`;
});

/** Renders a new photo of a new account. Returns its id. */
async function renderPhoto(over: Partial<Settings> = {}): Promise<string> {
  const { id: ownerId } = await seed(database).user();
  const picture = sharp({ create: { width: 60, height: 40, channels: 3, background: '#c63' } });
  const file = { name: 'a.jpg', bytes: await picture.jpeg().toBuffer() };
  const assetId = await addFile(database, file, { ownerId });
  await enqueue(database.db, renderImage, { assetId });
  const settings = { ...database.deps.settings, ...over };
  await drainLane({ ...database, deps: { ...database.deps, settings } }, 'image', {
    'assets.renderImage': handleRenderImage,
    'assets.renderEdits': handleRenderEdits,
    'people.render': handleRenderPerson,
  });
  const [asset] = await database.sql`select thumbhash from asset where id = ${assetId}`;
  expect(asset?.['thumbhash']).not.toBeNull();
  return assetId;
}

const listJobs = async () => [...(await database.sql`select name, payload from job`)];
const toAnalysis = (assetId: string) => ({ name: 'inference.analyze', payload: { assetId } });

test('a rendered picture is not queued for analysis where no model is installed', async () => {
  await renderPhoto();
  expect(await listJobs()).toEqual([]);
});

test('a rendered picture is queued for another process, which may have models', async () => {
  const id = await renderPhoto({ lanes: ['metadata', 'image'] });
  expect(await listJobs()).toEqual([toAnalysis(id)]);
});

test('a picture that is rendered just after the first model was installed is queued', async () => {
  await renderPhoto();
  const models = join(database.deps.settings.dataDir, 'models');
  await writeClip(join(models, 'clip/made'), { dimension: 64, side: 32 });
  try {
    const id = await renderPhoto();
    expect(await listJobs()).toEqual([toAnalysis(id)]);
  } finally {
    await rm(models, { recursive: true });
    clearModelCache();
  }
});
