import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import type { LineQuad } from '../../../db/tables/documents.ts';
import type { Point } from '../../../media/edits.ts';
import {
  computePictureSize,
  type EditTransition,
  moveBox,
  movePoint,
} from '../../../media/picture-edits.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

// Regions in the picture of an asset: faces, animals, lines of text. The caller has locked the asset's
// row.

/**
 * Moves the regions of faces, animals and text lines from one list of edits to another. Regions that
 * are cropped off stay, outside of the picture, so that removing the crop restores them.
 */
export async function moveRegions(db: Db, assetId: string, moving: EditTransition): Promise<void> {
  const { width, height } = computePictureSize(moving.source, moving.to);
  const moveRow = (row: BoxRow) => ({ id: row.id, ...moveBox(row, moving) });
  const faces = (await lockBoxes(db, 'face', assetId)).map(moveRow);
  await queryRows(
    db,
    sql`
    update face set x1 = moved.x1, y1 = moved.y1, x2 = moved.x2, y2 = moved.y2,
      image_width = ${width}, image_height = ${height},
      source_revision = picture_revision(face.asset_id), revision = revision + 1
    from jsonb_to_recordset(${JSON.stringify(faces)}::jsonb)
      moved (id uuid, x1 float8, y1 float8, x2 float8, y2 float8)
    where face.id = moved.id`,
  );
  const animals = (await lockBoxes(db, 'pet_observation', assetId)).map(moveRow);
  await queryRows(
    db,
    sql`
    update pet_observation set x1 = moved.x1, y1 = moved.y1, x2 = moved.x2, y2 = moved.y2
    from jsonb_to_recordset(${JSON.stringify(animals)}::jsonb)
      moved (id uuid, x1 real, y1 real, x2 real, y2 real)
    where pet_observation.id = moved.id`,
  );
  const lines = await queryRows(
    db,
    { id: column.uuid, quad: column.json<LineQuad>() },
    sql`
    select id, to_jsonb(quad) as quad from document_line where asset_id = ${assetId}`,
  );
  const moved = (point: Point) => movePoint(point, moving);
  const quads = [...lines].map(({ id, quad }) => ({ id, quad: transformQuad(quad, moved) }));
  await queryRows(
    db,
    sql`
    update document_line set quad = array(select value::real from jsonb_array_elements_text(moved.quad))
    from jsonb_to_recordset(${JSON.stringify(quads)}::jsonb) moved (id uuid, quad jsonb)
    where document_line.id = moved.id`,
  );
}

const BOX_COLUMNS = {
  id: column.uuid,
  x1: column.float,
  y1: column.float,
  x2: column.float,
  y2: column.float,
};
type BoxRow = InferRow<typeof BOX_COLUMNS>;

async function lockBoxes(db: Db, table: 'face' | 'pet_observation', assetId: string) {
  return queryRows(
    db,
    BOX_COLUMNS,
    sql`
    select id, x1, y1, x2, y2 from ${sql.raw(table)} where asset_id = ${assetId} for update`,
  );
}

/** Keeps the order of the corners, which tells the direction of the text. */
function transformQuad(quad: LineQuad, moved: (point: Point) => Point): number[] {
  const [x1, y1, x2, y2, x3, y3, x4, y4] = quad;
  const corners = [
    { x: x1, y: y1 },
    { x: x2, y: y2 },
    { x: x3, y: y3 },
    { x: x4, y: y4 },
  ];
  return corners.map(moved).flatMap(({ x, y }) => [x, y]);
}

export async function deleteAnalysis(db: Db, assetId: string): Promise<void> {
  await queryRows(db, sql`delete from asset_analysis where asset_id = ${assetId}`);
}

/** Lists the people whose thumbnail shows a face on this asset. */
export async function listPeopleWithThumbnailOn(db: Db, assetId: string): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select person.id from face join person on face.id = person.thumbnail_face_id
    where face.asset_id = ${assetId} order by person.id`,
  );
  return rows.map((row) => row.id);
}
