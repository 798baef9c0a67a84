import { expect, setDefaultTimeout, test } from 'bun:test';
import { useDatabase } from '../../../test/support/database.ts';
import { seed, testApp } from '../../../test/support/harness.ts';
import { addFace } from '../../../test/support/people.ts';
import { emptyCopy, syncAll } from '../../../test/sync/client.ts';
import { connect, waitForWatermark } from '../../../test/sync/support.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const database = await useDatabase();

test('a face cut off by edits is not visible; a partly cut face ends at the edge', async () => {
  const me = await seed(database).user();
  const assetId = await seed(database).asset({ ownerId: me.id, width: 100, height: 100 });
  const at = { ownerId: me.id, assetId, imageWidth: 100, imageHeight: 100, y1: 0.2, y2: 0.6 };
  const { id: cut } = await addFace(database, { ...at, x1: -0.8, x2: -0.4 });
  const { id: left } = await addFace(database, { ...at, x1: -0.1, x2: 0.3 });
  const { id: whole } = await addFace(database, { ...at, x1: 0.2, x2: 0.6 });
  await waitForWatermark(database);
  const copy = emptyCopy();
  await syncAll(connect(testApp(database), me), copy);
  const shown = (id: string) => {
    const { isVisible, boundingBoxX1, boundingBoxX2 } = copy.faces.get(id) ?? {};
    return [isVisible, boundingBoxX1, boundingBoxX2];
  };
  expect(shown(cut)).toEqual([false, 0, 1]);
  expect(shown(left)).toEqual([true, 0, 30]);
  expect(shown(whole)).toEqual([true, 20, 60]);
});
