import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import sharp from 'sharp';
import {
  call,
  createCtx,
  seed,
  createSession,
  type TestDatabase,
  testApp,
  testDatabase,
} from '../../../test/support/harness.ts';
import { withModels } from '../../../test/support/models.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';
import { derivedPath, drainLane } from '../../../test/support/processing.ts';
import { skipWithout } from '../../../test/support/requirements.ts';
import { derivedName } from '../../core/paths.ts';
import { closeInference } from '../../inference/client.ts';
import { analysisHandlers } from '../../inference/handlers.ts';
import { defineSink, STORED_TASKS } from '../../inference/index.ts';
import type { HandlersByLane } from '../../job-registry.ts';
import { listFaces } from './domain.ts';
import { facesSink } from './sink.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await closeInference();
  await database.close();
});

const others = STORED_TASKS.filter((task) => task !== 'faces').map((task) =>
  defineSink({ task, store: async () => {} }),
);
const drain = () =>
  drainLane(
    {
      ...database,
      deps: { ...database.deps, settings: withModels(database.deps.settings.dataDir) },
    },
    'inference',
    // No other job of the lane is queued here.
    analysisHandlers([facesSink, ...others] as never) as HandlersByLane<'inference'>,
  );

skipWithout('models').describe('refresh-faces, with the default model', () => {
  test('deletes faces that are no longer detected and keeps decided ones', async () => {
    const me = await seed(database).user();
    const assetId = await seed(database).asset({ ownerId: me.id, width: 400, height: 300 });
    const name = derivedName(assetId, 'preview', 'jpg');
    const path = derivedPath(database, name);
    await mkdir(dirname(path), { recursive: true });
    // Nobody is on it.
    await sharp({ create: { width: 400, height: 300, channels: 3, background: '#38c' } }).toFile(
      path,
    );
    await database.sql`
      insert into asset_file values (${assetId}, 'preview', ${name}, 'image/jpeg', 1, 't')`;
    const { id: personId } = await addPerson(database, { ownerId: me.id, name: 'Ann' });
    const at = { ownerId: me.id, assetId };
    await addFace(database, at);
    const named = await addFace(database, {
      ...at,
      personId,
      decidedBy: 'owner',
      x1: 0.5,
      x2: 0.7,
    });
    const drawn = await addFace(database, {
      ...at,
      source: 'manual',
      boxBy: 'owner',
      y1: 0.6,
      y2: 0.9,
    });
    await database.sql`insert into asset_analysis values (${assetId}, 'faces', 'blazeface-1')`;

    const body = { name: 'refresh-faces', assetIds: [assetId] };
    expect((await call(testApp(database), 'POST /assets/jobs', { as: me, body })).status).toBe(204);
    await drain();
    const left = await listFaces(createCtx(database, createSession(me.id)), assetId, true);
    expect(left.map((face) => face.id).toSorted()).toEqual([named.id, drawn.id].toSorted());
    expect(left.find((face) => face.id === named.id)?.person?.name).toBe('Ann');
    expect(await database.sql`select 1 from job where name = 'inference.detectFaces'`).toHaveLength(
      0,
    );
  }, 300_000);
});
