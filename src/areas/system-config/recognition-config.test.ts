import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { configWith } from '../../../test/support/config.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { addFace, faceVector } from '../../../test/support/people.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { createTextLine } from '../../../test/support/recognized-text.ts';
import { dot, fromFloat16 } from '../../inference/index.ts';
import { textSink } from '../documents/sink.ts';
import { facesSink } from '../faces/sink.ts';
import { createClusterHandler } from '../people/clustering/clustering.handlers.ts';
import { DEFAULTS, readRecognition } from './index.ts';

const { database, app } = await useApp();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(() => configure({}));

type Config = typeof DEFAULTS.machineLearning;
const configure = (changes: {
  readonly facialRecognition?: Partial<Config['facialRecognition']>;
  readonly ocr?: Partial<Config['ocr']>;
}) => {
  const { facialRecognition, ocr } = DEFAULTS.machineLearning;
  const machineLearning = {
    facialRecognition: { ...facialRecognition, ...changes.facialRecognition },
    ocr: { ...ocr, ...changes.ocr },
  };
  return call(app, 'PUT /system-config', { as: admin, body: configWith({ machineLearning }) });
};

const POINT = { x: 0.3, y: 0.3 };
const createFace = (x1: number, score: number) => ({
  box: { x1, y1: 0.1, x2: x1 + 0.2, y2: 0.35 },
  score,
  landmarks: [POINT, POINT, POINT, POINT, POINT],
  vector: faceVector(0),
});
const MODEL = { modelId: 'test', dimension: 32 };

async function addPhoto() {
  const { id: ownerId } = await seed(database).user();
  const assetId = await seed(database).asset({ ownerId, width: 4000, height: 3000 });
  return { assetId, ownerId, type: 'IMAGE', picture: { width: 1440, height: 1080 } } as const;
}

test('faces below the configured score are not stored', async () => {
  const countFaces = async () => {
    const photo = await addPhoto();
    const found = [createFace(0.1, 0.95), createFace(0.4, 0.75), createFace(0.7, 0.6)];
    const { thresholds } = await readRecognition(database.db);
    await database.db.transaction((tx) =>
      facesSink.store(tx, photo, found as never, MODEL, thresholds),
    );
    return (await database.sql`select from face where asset_id = ${photo.assetId}`).length;
  };
  expect(await countFaces()).toBe(2);
  await configure({ facialRecognition: { minScore: 0.9 } });
  expect(await countFaces()).toBe(1);
  await configure({ facialRecognition: { minScore: 0.5 } });
  expect(await countFaces()).toBe(3);
});

test('lines of text below the configured scores are not stored', async () => {
  const listLines = async () => {
    const photo = await addPhoto();
    const lines = [
      createTextLine('sure', 1),
      createTextLine('guessed', 2, { score: 0.6 }),
      createTextLine('faint', 3, { boxScore: 0.65 }),
    ];
    const { thresholds } = await readRecognition(database.db);
    await database.db.transaction((tx) => textSink.store(tx, photo, lines, MODEL, thresholds));
    const rows = await database.sql`
      select text from document_line where asset_id = ${photo.assetId} order by position`;
    return rows.map((row) => row['text'] as string).join(' ');
  };
  expect(await listLines()).toBe('sure guessed faint');
  await configure({ ocr: { minRecognitionScore: 0.7 } });
  expect(await listLines()).toBe('sure faint');
  await configure({ ocr: { minDetectionScore: 0.8 } });
  expect(await listLines()).toBe('sure guessed');
});

test('a greater distance makes one person of faces that differ more', async () => {
  const countPeople = async () => {
    const { id: ownerId } = await seed(database).user();
    // Each is 70 degrees from the others: a cosine similarity of 0.34 and less.
    for (const towards of [1, 2, 3]) {
      const vector = faceVector(0, 54, towards);
      await addFace(database, { ownerId, vector, clusteredAt: null });
    }
    const cluster = createClusterHandler(async (_ctx, _where, vectors) => {
      const rows = await database.sql`
        select slot, vector from embedding join face on face.id = subject_id
        where face.owner_id = ${ownerId}`;
      return vectors.map((vector) =>
        rows.map((row) => ({
          slot: row['slot'] as number,
          score: dot(vector, fromFloat16(row['vector'] as Uint8Array)),
        })),
      );
    });
    for (let effect; (effect = await cluster(jobCtx(database), {}));) {
      const save = effect;
      await database.db.transaction((tx) => save(tx));
    }
    return (await database.sql`select from person where owner_id = ${ownerId}`).length;
  };
  expect(await countPeople()).toBe(0);
  await configure({ facialRecognition: { maxDistance: 0.7 } });
  expect(await countPeople()).toBe(1);
});

test.each([
  [{ facialRecognition: { minScore: 1.5 } }, 'facialRecognition.minScore'],
  [{ facialRecognition: { maxDistance: 0 } }, 'facialRecognition.maxDistance'],
  [{ ocr: { minDetectionScore: -1 } }, 'ocr.minDetectionScore'],
  [{ ocr: { minRecognitionScore: 7 } }, 'ocr.minRecognitionScore'],
])('%p is refused', async (changes, member) => {
  const { status, body } = await configure(changes);
  expect([status, body.errors[0].path.join('.')]).toEqual([400, `machineLearning.${member}`]);
});
