import { and, asc, eq, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { faces, type FaceRow } from '../../db/tables/people.ts';

/** Of an asset, from left to right. */
export const listFaces = (db: Db, assetId: string, withHidden: boolean): Promise<FaceRow[]> =>
  db
    .select()
    .from(faces)
    .where(and(eq(faces.assetId, assetId), withHidden ? undefined : eq(faces.isHidden, false)))
    .orderBy(asc(faces.x1), asc(faces.id));

export async function insertFace(db: Db, values: typeof faces.$inferInsert): Promise<FaceRow> {
  const [row] = await db.insert(faces).values(values).returning();
  return row!;
}

export async function deleteFace(db: Db, id: string): Promise<void> {
  await db.delete(faces).where(eq(faces.id, id));
}

export async function findFaceById(db: Db, id: string): Promise<FaceRow | undefined> {
  const [row] = await db.select().from(faces).where(eq(faces.id, id));
  return row;
}

/** Relative to the derived folder. */
export async function findPreview(db: Db, assetId: string): Promise<string | undefined> {
  const [row] = await db.execute<{ name: string }>(sql`
    select name from asset_file where asset_id = ${assetId} and kind = 'preview'`);
  return row?.name;
}
