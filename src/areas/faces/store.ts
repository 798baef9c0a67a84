import { and, asc, eq, inArray, ne, or, sql } from 'drizzle-orm';
import { selectPreviewName } from '../../inference/subject.store.ts';
import type { Db } from '../../db/client.ts';
import { faces, type FaceRow, people } from '../../db/tables/people.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';

/** Condition: the middle of the face lies in the edited picture. */
const IS_INSIDE = sql`face.x1 + face.x2 between 0 and 2 and face.y1 + face.y2 between 0 and 2`;

/** Returns the faces of an asset from left to right. */
export const listFaces = (db: Db, assetId: string, withHidden: boolean): Promise<FaceRow[]> =>
  db
    .select()
    .from(faces)
    .where(
      and(
        eq(faces.assetId, assetId),
        IS_INSIDE,
        withHidden ? undefined : eq(faces.isHidden, false),
      ),
    )
    .orderBy(asc(faces.x1), asc(faces.id))
    .prepare('faces.list')
    .execute();

/** Returns the faces of people whom the owner has named or assigned. */
export async function findNamedFaces(db: Db, assetIds: readonly string[]): Promise<FaceRow[]> {
  const rows = await db
    .select({ face: faces })
    .from(faces)
    .innerJoin(people, eq(people.id, faces.personId))
    .where(
      and(
        inArray(faces.assetId, [...assetIds]),
        eq(faces.isHidden, false),
        or(ne(people.name, ''), eq(faces.decidedBy, 'owner')),
      ),
    )
    .orderBy(asc(faces.id));
  return rows.map(({ face }) => face);
}

export async function insertFace(db: Db, values: typeof faces.$inferInsert): Promise<FaceRow> {
  const row = getRow(await db.insert(faces).values(values).returning());
  return row;
}

export async function findFaceById(db: Db, id: string): Promise<FaceRow | undefined> {
  const [row] = await db.select().from(faces).where(eq(faces.id, id));
  return row;
}

/** Returns the preview file, relative to the derived folder. */
export async function findPreview(db: Db, assetId: string): Promise<string | undefined> {
  const [row] = await queryRows(
    db,
    { name: column.text.orNull },
    sql`select ${selectPreviewName(sql`${assetId}::uuid`)} as name`,
  );
  return row?.name ?? undefined;
}
