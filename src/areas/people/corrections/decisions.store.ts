import { and, eq, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { faces, type FaceRow } from '../../../db/tables/people.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

export async function findFace(db: Db, ownerId: string, id: string): Promise<FaceRow | undefined> {
  const [row] = await db
    .select()
    .from(faces)
    .where(and(eq(faces.id, id), eq(faces.ownerId, ownerId)));
  return row;
}

export async function lockFaceRow(db: Db, id: string): Promise<FaceRow | undefined> {
  const [row] = await db.select().from(faces).where(eq(faces.id, id)).for('update');
  return row;
}

/** Returns the face of each (asset, person) pair. */
export async function findFacesByPairs(
  db: Db,
  ownerId: string,
  pairs: readonly { readonly assetId: string; readonly personId: string }[],
): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid, asset_id: column.uuid },
    sql`
    select distinct face.id, face.asset_id from face
    join jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as pair ("assetId" uuid, "personId" uuid)
      on face.asset_id = pair."assetId" and face.person_id = pair."personId"
    where face.owner_id = ${ownerId} and not face.is_hidden
    order by face.asset_id, face.id`,
  );
  return rows.map((row) => row.id);
}
