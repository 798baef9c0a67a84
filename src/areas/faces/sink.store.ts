import { eq, inArray, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { faces, type FaceRow } from '../../db/tables/people.ts';
import { queryRows } from '../../db/query.ts';
import { deleteEmbeddings } from '../../inference/index.ts';

export const lockFacesOfAsset = (db: Db, assetId: string): Promise<FaceRow[]> =>
  db.select().from(faces).where(eq(faces.assetId, assetId)).orderBy(faces.id).for('update');

export const insertFaces = async (
  db: Db,
  rows: readonly (typeof faces.$inferInsert)[],
): Promise<string[]> => {
  if (rows.length === 0) return [];
  const added = await db
    .insert(faces)
    .values([...rows])
    .returning({ id: faces.id });
  return added.map((row) => row.id);
};

export async function removeFaces(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.delete(faces).where(inArray(faces.id, [...ids]));
  await deleteEmbeddings(db, ids);
}

export type DetectedFaceColumns = Pick<
  FaceRow,
  'x1' | 'y1' | 'x2' | 'y2' | 'imageWidth' | 'imageHeight'
> &
  Pick<FaceRow, 'score' | 'sidePx' | 'modelId' | 'sourceRevision'>;

/** Updates what was detected; the owner's decisions and the revision stay. */
export async function refreshFace(
  db: Db,
  id: string,
  seen: Partial<DetectedFaceColumns>,
): Promise<void> {
  await db.update(faces).set(seen).where(eq(faces.id, id));
}

/** Marks the face as unclustered if it has no person and no decision of the owner. */
export async function requeueFace(db: Db, id: string, modelId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    update face set model_id = ${modelId},
      clustered_at = case when person_id is null and decided_by = 'machine' and not is_hidden
        then null else clustered_at end
    where id = ${id}`,
  );
}
