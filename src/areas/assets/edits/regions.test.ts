import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import {
  call,
  createCtx,
  seed,
  createSession,
  type TestDatabase,
  type TestUser,
  testApp,
  testDatabase,
} from '../../../../test/support/harness.ts';
import { withModels } from '../../../../test/support/models.ts';
import { addFace, addPerson } from '../../../../test/support/people.ts';
import { addFile, drainLane, jobCtx } from '../../../../test/support/processing.ts';
import { saveRecognizedText } from '../../../../test/support/recognized-text.ts';
import { skipWithout } from '../../../../test/support/requirements.ts';
import { findAnalysisSubject } from '../../../inference/subject.store.ts';
import type { App } from '../../../app.ts';
import { closeInference } from '../../../inference/client.ts';
import { analysisHandlers } from '../../../inference/handlers.ts';
import { defineSink, STORED_TASKS, type PictureSize } from '../../../inference/index.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { listFaces } from '../../faces/domain.ts';
import { handleRenderPerson } from '../../people/thumbnail/thumbnail.handlers.ts';
import { handleRenderEdits } from './edits.handlers.ts';
import { renderImage } from '../jobs.ts';
import { handleRenderImage } from '../processing/thumbnails.handlers.ts';

let database: TestDatabase;
let app: App;
let me: TestUser;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  me = await seed(database).user();
});
afterAll(async () => {
  await closeInference();
  await database.close();
});

const drain = () =>
  drainLane(database, 'image', {
    'assets.renderImage': handleRenderImage,
    'assets.renderEdits': handleRenderEdits,
    'people.render': handleRenderPerson,
  });

let made = 0;
/** 200 × 100, with its thumbnails, and seen by some model. */
async function photo(): Promise<string> {
  const bytes = await sharp({
    create: { width: 200, height: 100, channels: 3, background: '#c84' },
  })
    .withExif({ IFD0: { Artist: `${++made}` } })
    .jpeg()
    .toBuffer();
  const id = await addFile(database, { name: 'a.jpeg', bytes }, { ownerId: me.id });
  await enqueue(database.db, renderImage, { assetId: id });
  await drain();
  await database.sql`truncate job`;
  await database.sql`
    insert into asset_analysis (asset_id, task, model_id) values (${id}, 'faces', 'any')`;
  return id;
}

const TURN = { action: 'rotate', parameters: { angle: 90 } };
const RIGHT_HALF = { action: 'crop', parameters: { x: 100, y: 0, width: 100, height: 100 } };
const edit = async (id: string, edits: object[]) => {
  const reply = await call(app, `PUT /assets/${id}/edits`, { as: me, body: { edits } });
  expect(reply.status).toBe(200);
};
const undo = (id: string) => call(app, `DELETE /assets/${id}/edits`, { as: me });
const listFaceBoxes = async (id: string) =>
  (await listFaces(createCtx(database, createSession(me.id)), id, true)).map((face) => ({
    id: face.id,
    box: [face.boundingBoxX1, face.boundingBoxY1, face.boundingBoxX2, face.boundingBoxY2],
    of: [face.imageWidth, face.imageHeight],
  }));
const waiting = async () =>
  (await database.sql`select name from job where state = 'waiting' order by name`).map(
    (row) => row['name'] as string,
  );
const isSeen = async (id: string) =>
  (await database.sql`select 1 from asset_analysis where asset_id = ${id}`).length > 0;

const onLeft = { x1: 0.1, y1: 0.2, x2: 0.3, y2: 0.6, imageWidth: 200, imageHeight: 100 };
const onRight = { ...onLeft, x1: 0.6, x2: 0.8 };

test('boxes of faces, text lines and animals follow a rotation and return when it is undone', async () => {
  const id = await photo();
  const at = { ownerId: me.id, assetId: id };
  const { id: face } = await addFace(database, { ...at, ...onLeft });
  await saveRecognizedText(database, at, ['INVOICE']);
  const [pet] = await database.sql`
    insert into pet (owner_id, species) values (${me.id}, 'cat') returning id`;
  await database.sql`insert into pet_observation
    (asset_id, pet_id, species, score, x1, y1, x2, y2, model_id)
    values (${id}, ${pet!['id']}, 'cat', 0.9, 0, 0, 0.5, 0.25, 'any')`;
  const lines = async () =>
    (await database.sql`select quad from document_line where asset_id = ${id}`)[0]!['quad'].map(
      (part: number) => Number(part.toFixed(4)),
    );
  const animal = async () =>
    (await database.sql`select x1, y1, x2, y2 from pet_observation where asset_id = ${id}`)[0];
  const before = { faces: await listFaceBoxes(id), lines: await lines(), animal: await animal() };
  expect(before.faces).toEqual([{ id: face, box: [20, 20, 60, 60], of: [200, 100] }]);

  await edit(id, [TURN]);
  expect(await listFaceBoxes(id)).toEqual([{ id: face, box: [40, 20, 80, 60], of: [100, 200] }]);
  expect(before.lines).toEqual([0.1, 0, 0.9, 0, 0.9, 0.04, 0.1, 0.04]);
  expect(await lines()).toEqual([1, 0.1, 1, 0.9, 0.96, 0.9, 0.96, 0.1]);
  expect(await animal()).toEqual({ x1: 0.75, y1: 0, x2: 1, y2: 0.5 } as never);

  await undo(id);
  expect({ faces: await listFaceBoxes(id), lines: await lines(), animal: await animal() }).toEqual(
    before,
  );
});

test('a face that is cropped away is hidden, is not used as a portrait, and returns when edits are undone', async () => {
  const id = await photo();
  const at = { ownerId: me.id, assetId: id };
  const { id: personId } = await addPerson(database, { ownerId: me.id, name: 'Ann' });
  const cut = await addFace(database, { ...at, ...onLeft, personId, decidedBy: 'owner' });
  const left = await addFace(database, { ...at, ...onRight });
  await database.sql`update person set thumbnail_face_id = ${cut.id}, thumbnail_tag = 't',
    thumbnail_size = 1 where id = ${personId}`;
  await edit(id, [RIGHT_HALF]);
  expect(await listFaceBoxes(id)).toEqual([{ id: left.id, box: [20, 20, 60, 60], of: [100, 100] }]);
  await drain();
  const [person] = await database.sql`select * from person where id = ${personId}`;
  expect(person!['thumbnail_face_id']).toBeNull();
  // Other edits begin from these.
  await edit(id, [RIGHT_HALF, TURN]);
  expect(await listFaceBoxes(id)).toEqual([{ id: left.id, box: [40, 20, 80, 60], of: [100, 100] }]);
  await undo(id);
  expect(await listFaceBoxes(id)).toEqual([
    { id: cut.id, box: [20, 20, 60, 60], of: [200, 100] },
    { id: left.id, box: [120, 20, 160, 60], of: [200, 100] },
  ]);
});

describe('analysis of an edited picture', () => {
  test('runs after rendering and again after the edits are removed', async () => {
    const id = await photo();
    const path = async () => (await findAnalysisSubject(database.db, id))?.preview;
    const plain = await path();
    await edit(id, [TURN]);
    // Until it is made, there is nothing to look at.
    expect(await path()).toBeUndefined();
    expect(await isSeen(id)).toBe(true);
    await drain();
    expect(await waiting()).toEqual(['inference.analyze']);
    expect(await isSeen(id)).toBe(false);
    const edited = await path();
    expect(edited).toContain('edited-preview');
    expect(existsSync(join(database.deps.paths.derived, edited!))).toBe(true);

    await database.sql`truncate job`;
    await undo(id);
    expect(await waiting()).toEqual(['inference.analyze']);
    expect(await path()).toBe(plain!);
  });

  skipWithout('models').describe('with the default models', () => {
    const seen: PictureSize[] = [];
    const handlers = analysisHandlers(
      STORED_TASKS.map((task) =>
        defineSink({
          task,
          store: async (_tx, { picture }) => void (task === 'feature' && seen.push(picture)),
        }),
      ) as never,
    );
    const settings = () => withModels(database.deps.settings.dataDir);
    const look = (assetId: string) =>
      handlers['inference.analyze'](jobCtx(database, { settings: settings() }), { assetId });

    test('uses the dimensions of the edited picture', async () => {
      const id = await photo();
      await edit(id, [TURN]);
      await drain();
      const effect = await look(id);
      await database.db.transaction(async (tx) => void (await effect!(tx)));
      expect(seen.at(-1)).toEqual({ width: 100, height: 200 });
    }, 300_000);

    test('discards results of a picture that was edited during the analysis', async () => {
      const id = await photo();
      const effect = await look(id);
      seen.length = 0;
      await edit(id, [TURN]);
      await database.db.transaction(async (tx) => void (await effect!(tx)));
      expect(seen).toEqual([]);
    }, 300_000);
  });
});
