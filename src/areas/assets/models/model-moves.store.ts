import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { type Edit, computeEditedSize, transformPoint, type Point } from '../../../media/edits.ts';
import type { Size } from '../../../media/sizes.ts';

// Places in the picture of an asset: faces, animals, lines of text. The caller holds the asset.

export type Moving = {
  /** Of the picture as it was taken. */
  readonly source: Size;
  readonly from: readonly Edit[];
  readonly to: readonly Edit[];
};

/**
 * They follow the picture when other edits are made of it. What is cut off is kept, outside of the
 * picture: it comes back with it.
 */
export async function movePlaces(db: Db, assetId: string, moving: Moving): Promise<void> {
  const moved = (point: Point) => transformPoint(point, moving);
  const { width, height } = computeEditedSize(moving.source, moving.to);
  const faces = boxes(await boxesIn(db, 'face', assetId), moved);
  await db.execute(sql`
    update face set x1 = moved.x1, y1 = moved.y1, x2 = moved.x2, y2 = moved.y2,
      image_width = ${width}, image_height = ${height},
      source_revision = picture_revision(face.asset_id), revision = revision + 1
    from jsonb_to_recordset(${JSON.stringify(faces)}::jsonb)
      moved (id uuid, x1 float8, y1 float8, x2 float8, y2 float8)
    where face.id = moved.id`);
  const animals = boxes(await boxesIn(db, 'pet_observation', assetId), moved);
  await db.execute(sql`
    update pet_observation set x1 = moved.x1, y1 = moved.y1, x2 = moved.x2, y2 = moved.y2
    from jsonb_to_recordset(${JSON.stringify(animals)}::jsonb)
      moved (id uuid, x1 real, y1 real, x2 real, y2 real)
    where pet_observation.id = moved.id`);
  const lines = await db.execute<{ id: string; quad: number[] }>(sql`
    select id, to_jsonb(quad) as quad from document_line where asset_id = ${assetId}`);
  const quads = [...lines].map(({ id, quad }) => ({ id, quad: corners(quad, moved) }));
  await db.execute(sql`
    update document_line set quad = array(select value::real from jsonb_array_elements_text(moved.quad))
    from jsonb_to_recordset(${JSON.stringify(quads)}::jsonb) moved (id uuid, quad jsonb)
    where document_line.id = moved.id`);
}

type BoxRow = { readonly id: string; x1: number; y1: number; x2: number; y2: number };

async function boxesIn(db: Db, table: 'face' | 'pet_observation', assetId: string) {
  const rows = await db.execute<BoxRow>(sql`
    select id, x1, y1, x2, y2 from ${sql.raw(table)} where asset_id = ${assetId} for update`);
  return [...rows];
}

const boxes = (rows: readonly BoxRow[], moved: (point: Point) => Point): BoxRow[] =>
  rows.map(({ id, x1, y1, x2, y2 }) => {
    const [one, other] = [moved({ x: x1, y: y1 }), moved({ x: x2, y: y2 })];
    return {
      id,
      x1: Math.min(one.x, other.x),
      y1: Math.min(one.y, other.y),
      x2: Math.max(one.x, other.x),
      y2: Math.max(one.y, other.y),
    };
  });

/** In the order of the text, whichever way it runs now. */
const corners = (quad: readonly number[], moved: (point: Point) => Point): number[] =>
  [0, 2, 4, 6].flatMap((at) => {
    const { x, y } = moved({ x: quad[at]!, y: quad[at + 1]! });
    return [x, y];
  });

/** The picture is another one: nobody has looked at it. */
export async function forgetAnalysis(db: Db, assetId: string): Promise<void> {
  await db.execute(sql`delete from asset_analysis where asset_id = ${assetId}`);
}

/** Of the people on the asset, those whom a face of it stands for. */
export async function peopleShownBy(db: Db, assetId: string): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select person.id from face join person on face.id = person.thumbnail_face_id
    where face.asset_id = ${assetId} order by person.id`);
  return [...rows].map((row) => row.id);
}
