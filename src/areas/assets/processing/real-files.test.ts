import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { seed, type TestDatabase } from '../../../../test/support/harness.ts';
import { addFile, drainLane, openMediaLibrary } from '../../../../test/support/processing.ts';
import { getAssetRow, listFileRows } from '../../../../test/support/rows.ts';
import { MEDIA, skipWithout } from '../../../../test/support/requirements.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { renderImage } from '../jobs.ts';
import { handleRenderEdits } from '../edits/edits.handlers.ts';
import { handleRenderImage } from './thumbnails.handlers.ts';
import { handleRenderPerson } from '../../people/thumbnail/thumbnail.handlers.ts';

let database: TestDatabase;
let ownerId: string;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openMediaLibrary());
});
afterAll(() => close());
beforeEach(async () => {
  ownerId = (await seed(database).user()).id;
  await database.sql`truncate job`;
});

const drainImages = () =>
  drainLane(database, 'image', {
    'assets.renderImage': handleRenderImage,
    'assets.renderEdits': handleRenderEdits,
    'people.render': handleRenderPerson,
  });

skipWithout('media').describe('renders real files', () => {
  test.each([
    ['iphone-13-pro/IMG_8563.HEIC', 3024, 4032],
    ['cameras/DSC_0011.JPG', 0, 0],
    ['formats/avif/8bit-sRGB.avif', 0, 0],
    ['formats/jxl/8bit-sRGB.jxl', 0, 0],
    ['formats/webp/denali.webp', 0, 0],
  ])(
    '%s',
    async (name, width, height) => {
      const id = await addFile(database, join(MEDIA!, name), { ownerId });
      await enqueue(database.db, renderImage, { assetId: id });
      await drainImages();
      const row = await getAssetRow(database, id);
      expect(row.broken_reason).toBeNull();
      expect(await listFileRows(database, id)).toHaveLength(2);
      if (width) expect([row.width, row.height]).toEqual([width, height]);
    },
    300_000,
  );
});
