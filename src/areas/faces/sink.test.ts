import { expect, test } from 'bun:test';
import { useDatabase } from '../../../test/support/database.ts';
import { createCtx, seed, createSession } from '../../../test/support/harness.ts';
import { addPerson, FACE_MODEL, faceVector } from '../../../test/support/people.ts';
import type { Box, Face } from '../../inference/index.ts';
import { readEmbeddings } from '../../inference/index.ts';
import { correctFace, createFace, deleteFace, listFaces } from './domain.ts';
import { facesSink } from './sink.ts';

const database = await useDatabase();

const MIDDLE = { x: 0.5, y: 0.5 };
const seen = (x1: number, y1: number, over: Partial<Face> = {}): Face => ({
  box: { x1, y1, x2: x1 + 0.2, y2: y1 + 0.25 },
  score: 0.9,
  landmarks: [MIDDLE, MIDDLE, MIDDLE, MIDDLE, MIDDLE],
  vector: faceVector(0),
  ...over,
});
const MODEL = { modelId: FACE_MODEL, dimension: 32 };

async function photo() {
  const { id: ownerId } = await seed(database).user();
  const assetId = await seed(database).asset({ ownerId, width: 4000, height: 3000 });
  const ctx = createCtx(database, createSession(ownerId));
  const look = (faces: readonly Face[], model = MODEL) =>
    database.db.transaction((tx) =>
      facesSink.store(
        tx,
        { assetId, ownerId, type: 'IMAGE', picture: { width: 1440, height: 1080 } },
        faces,
        model,
      ),
    );
  const list = () => listFaces(ctx, assetId, true);
  return { ownerId, assetId, ctx, look, list };
}
const readVector = async (id: string, modelId = FACE_MODEL) =>
  (await readEmbeddings(database.db, modelId, [id]))[0]?.vector;

test('faces are stored with their vectors as unclustered', async () => {
  const { look, list, ownerId } = await photo();
  await look([seen(0.1, 0.1), seen(0.6, 0.1, { score: 0.69 }), seen(0.6, 0.5)]);
  const faces = await list();
  expect(faces).toMatchObject([
    {
      boundingBoxX1: 400,
      boundingBoxY1: 300,
      boundingBoxX2: 1200,
      boundingBoxY2: 1050,
      imageWidth: 4000,
      person: null,
      sourceType: 'machine-learning',
      revision: 1,
    },
    { boundingBoxX1: 2400 },
  ]);
  expect(await readVector(faces[0]!.id)).toEqual(faceVector(0));
  const waiting = await database.sql`
    select 1 from face where owner_id = ${ownerId} and clustered_at is null`;
  expect(waiting).toHaveLength(2);
});

test('a tiny face is stored without a vector', async () => {
  const { look, list } = await photo();
  const box: Box = { x1: 0.1, y1: 0.1, x2: 0.11, y2: 0.12 };
  await look([seen(0, 0, { box })]);
  const [face] = await list();
  expect(await readVector(face!.id)).toBeUndefined();
});

test('faces detected again keep their ids; others are deleted', async () => {
  const { look, list, assetId } = await photo();
  await look([seen(0.1, 0.1), seen(0.6, 0.5)]);
  const [first, second] = await list();
  await look([seen(0.11, 0.1, { vector: faceVector(3) }), seen(0.6, 0.1)]);
  const after = await list();
  expect(after.map((face) => face.id)).toContain(first!.id);
  expect(after.map((face) => face.id)).not.toContain(second!.id);
  expect(after).toHaveLength(2);
  expect(after.find((face) => face.id === first!.id)).toMatchObject({ revision: 1 });
  expect(await readVector(first!.id)).toEqual(faceVector(3));
  expect(await readVector(second!.id)).toBeUndefined();
  await look([]);
  expect(await list()).toEqual([]);
  const left = await database.sql`select 1 from face where asset_id = ${assetId}`;
  expect(left).toHaveLength(0);
});

test('faces keep their ids and get vectors of a new model', async () => {
  const { look, list } = await photo();
  await look([seen(0.1, 0.1)]);
  const [face] = await list();
  await look([seen(0.1, 0.1, { vector: new Float32Array([0, 1]) })], {
    modelId: 'other-faces',
    dimension: 2,
  });
  expect((await list())[0]!.id).toBe(face!.id);
  expect(await readVector(face!.id, 'other-faces')).toEqual(new Float32Array([0, 1]));
});

test("the owner's decisions survive repeated analyses", async () => {
  const { look, list, ctx, assetId, ownerId } = await photo();
  const ann = await addPerson(database, { ownerId, name: 'Ann' });
  await look([seen(0, 0), seen(0.3, 0), seen(0.6, 0), seen(0, 0.5)]);
  const [a, b, c, d] = await list();
  const named = (await list()).find((face) => face.boundingBoxX1 === 1200)!;
  const hidden = (await list()).find((face) => face.boundingBoxX1 === 2400)!;
  const moved = (await list()).find((face) => face.boundingBoxY1 === 1500)!;
  expect(new Set([a, b, c, d].map((face) => face!.id)).size).toBe(4);
  await correctFace(ctx, named.id, { expectedRevision: 1, personId: ann.id });
  await deleteFace(ctx, hidden.id, false);
  const box = {
    x: 100,
    y: 1400,
    width: 900,
    height: 900,
    imageWidth: 4000,
    imageHeight: 3000,
  };
  await correctFace(ctx, moved.id, {
    expectedRevision: 1,
    expectedSourceRevision: moved.sourceRevision,
    box,
  });
  await createFace(ctx, {
    assetId,
    x: 2800,
    y: 2000,
    width: 600,
    height: 600,
    imageWidth: 4000,
    imageHeight: 3000,
  });
  const before = (await list()).filter((face) => face.boundingBoxX1 !== 0);
  expect(before).toHaveLength(4);
  const looks = [
    [seen(0.31, 0), seen(0.6, 0.01), seen(0.02, 0.49), seen(0.71, 0.67)],
    [],
    [seen(0.3, 0), seen(0.6, 0), seen(0, 0.5)],
  ];
  for (const found of looks) {
    await look(found);
    expect(await list()).toEqual(before);
  }
});

test('nothing is stored for a deleted asset', async () => {
  const { look, assetId } = await photo();
  await database.sql`delete from asset where id = ${assetId}`;
  await look([seen(0.1, 0.1)]);
  expect(await database.sql`select 1 from face where asset_id = ${assetId}`).toHaveLength(0);
});

test('faces keep how many pixels of the analysed picture they have', async () => {
  const { look, list } = await photo();
  await look([seen(0.1, 0.1)]);
  const [face] = await list();
  const [row] = await database.sql`select side_px from face where id = ${face!.id}`;
  expect(row!['side_px']).toBeCloseTo(0.25 * 1080, 3);
});
