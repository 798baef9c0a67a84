import { faces, people } from '../../src/db/tables/people.ts';
import { saveEmbeddings } from '../../src/inference/index.ts';
import { NOW, seed, type TestDatabase } from './harness.ts';

export const FACE_MODEL = 'faces-of-tests';

/** A unit vector; `near` turns it this many degrees away from the axis `along`. */
export function faceVector(along: number, near = 0, towards = along + 1): Float32Array {
  const vector = new Float32Array(32);
  const angle = (near * Math.PI) / 180;
  vector[along % 32] = Math.cos(angle);
  vector[towards % 32]! += Math.sin(angle);
  return vector;
}

export type NewFace = Partial<typeof faces.$inferInsert> & {
  readonly ownerId: string;
  readonly vector?: Float32Array;
};

/** As a machine found it; on a photo of its own unless one is named. */
export async function addFace(
  database: TestDatabase,
  { vector, ...values }: NewFace,
): Promise<{ id: string; assetId: string }> {
  const { db, sql } = database;
  const assetId =
    values.assetId ??
    (await seed(database).asset({ ownerId: values.ownerId, width: 1000, height: 800 }));
  const [row] = await sql`select picture_revision(${assetId}) as revision`;
  const [face] = await db
    .insert(faces)
    .values({
      x1: 0.1,
      y1: 0.1,
      x2: 0.3,
      y2: 0.4,
      imageWidth: 1000,
      imageHeight: 800,
      source: 'machine-learning',
      score: 0.9,
      modelId: FACE_MODEL,
      clusteredAt: NOW,
      sourceRevision: row!['revision'] as string,
      ...values,
      assetId,
    })
    .returning({ id: faces.id });
  if (vector) {
    await saveEmbeddings(db, FACE_MODEL, [{ kind: 'face', subjectId: face!.id, vector }]);
  }
  return { id: face!.id, assetId };
}

/** With one face on a photo of its own per vector, or without any. */
export async function addPerson(
  database: TestDatabase,
  values: Partial<typeof people.$inferInsert> & { readonly ownerId: string },
  vectors: readonly Float32Array[] = [],
) {
  const [person] = await database.db.insert(people).values(values).returning({ id: people.id });
  const shown = [];
  for (const vector of vectors) {
    const { ownerId } = values;
    shown.push(await addFace(database, { ownerId, personId: person!.id, vector }));
  }
  return { id: person!.id, faces: shown };
}
