import { sql } from 'drizzle-orm';
import { backgroundAssets } from '../../access/unscoped.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import type { NamedFace } from './faces.ts';

/** Intersection over union above which two boxes show the same face. */
const SAME_FACE = 0.5;

/** Saves faces of assets that are still there; of several with one name in an asset the first. */
export async function insertFaces(db: Db, faces: readonly NamedFace[]): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into move_in_face (asset_id, name, x1, y1, x2, y2, is_drawn, birth_date)
    select asset.id, name, x1, y1, x2, y2, "isDrawn", "birthDate"
    from jsonb_to_recordset(${JSON.stringify(faces)}::text::jsonb) item
      ("assetId" uuid, name text, x1 float8, y1 float8, x2 float8, y2 float8,
        "isDrawn" boolean, "birthDate" date)
    join ${backgroundAssets} on asset.id = item."assetId"
    on conflict do nothing`,
  );
}

/** The place of a face in the order of its key. */
export type FacePosition = { readonly assetId: string; readonly name: string };

const END_COLUMNS = { assetId: column.uuid, name: column.text };

/** Returns the last one of the next faces, undefined if there are none. */
export async function findEnd(
  db: Db,
  after: FacePosition | undefined,
  size: number,
): Promise<FacePosition | undefined> {
  const rows = await queryRows(
    db,
    END_COLUMNS,
    sql`
    select asset_id as "assetId", name from move_in_face
    where ${isBehind(after)} order by asset_id, name limit ${size}::int`,
  );
  return rows.at(-1);
}

const isBehind = (after: FacePosition | undefined) =>
  after ? sql`(asset_id, name) > (${after.assetId}::uuid, ${after.name})` : sql`true`;

const isBehindNamed = (after: FacePosition | undefined) =>
  after ? sql`(named.asset_id, named.name) > (${after.assetId}::uuid, ${after.name})` : sql`true`;

const NAMING_COLUMNS = { ownerId: column.uuid, personId: column.uuid, name: column.text };
export type Naming = InferRow<typeof NAMING_COLUMNS>;

/**
 * Deletes the faces of a part for which a person was found, and returns the names of those without one: where exactly
 * one face overlaps, with one name, and all such faces of the person say the same.
 */
export const takeNamings = (
  db: Db,
  after: FacePosition | undefined,
  end: FacePosition,
): Promise<Naming[]> =>
  queryRows(
    db,
    NAMING_COLUMNS,
    sql`
    with pair as materialized (
      select named.asset_id, named.name, face.id as face_id, face.person_id,
        count(*) over (partition by named.asset_id, named.name) as faces,
        count(*) over (partition by face.id) as names
      from move_in_face named
      join shown_face face on face.asset_id = named.asset_id
      cross join lateral (select
        greatest(0, least(face.x2, named.x2) - greatest(face.x1, named.x1))
          * greatest(0, least(face.y2, named.y2) - greatest(face.y1, named.y1)) as shared,
        (face.x2 - face.x1) * (face.y2 - face.y1) as own,
        (named.x2 - named.x1) * (named.y2 - named.y1) as other) area
      where ${isBehindNamed(after)} and (named.asset_id, named.name) <= (${end.assetId}::uuid, ${end.name})
        and shared > ${SAME_FACE}::float8 * (own + other - shared)
    ), taken as (
      delete from move_in_face using pair
      where move_in_face.asset_id = pair.asset_id and move_in_face.name = pair.name
        and pair.person_id is not null
    )
    select person.owner_id as "ownerId", person.id as "personId", min(pair.name) as name
    from pair join person on person.id = pair.person_id
    where faces = 1 and names = 1 and person.name = '' and person.merged_into is null
      and not person.is_hidden
    group by person.id having count(distinct pair.name) = 1`,
  );

const BIRTH_COLUMNS = { ownerId: column.uuid, name: column.text, birthDate: column.text };
export type Birth = InferRow<typeof BIRTH_COLUMNS>;

/** Returns the birth dates of the people of a part whose faces agree about it. */
export const listBirths = (
  db: Db,
  after: FacePosition | undefined,
  end: FacePosition,
): Promise<Birth[]> =>
  queryRows(
    db,
    BIRTH_COLUMNS,
    sql`
    select asset.owner_id as "ownerId", named.name, min(birth_date)::text as "birthDate"
    from move_in_face named join ${backgroundAssets} on asset.id = named.asset_id
    where ${isBehindNamed(after)} and (named.asset_id, named.name) <= (${end.assetId}::uuid, ${end.name})
      and birth_date is not null
    group by asset.owner_id, named.name having count(distinct birth_date) = 1`,
  );

const DRAWN_COLUMNS = {
  ownerId: column.uuid,
  assetId: column.uuid,
  name: column.text,
  x1: column.float,
  y1: column.float,
  x2: column.float,
  y2: column.float,
};
export type DrawnFace = InferRow<typeof DRAWN_COLUMNS>;

/**
 * Deletes and returns the drawn faces of a part whose pictures are there. They wait, for a day, while other faces of the
 * name do, by which a person here may get it.
 */
export const takeDrawn = (
  db: Db,
  after: FacePosition | undefined,
  end: FacePosition,
): Promise<DrawnFace[]> =>
  queryRows(
    db,
    DRAWN_COLUMNS,
    sql`
    with waiting as materialized (
      select distinct asset.owner_id, found.name from move_in_face found
      join ${backgroundAssets} on asset.id = found.asset_id
      where not found.is_drawn
    ), ready as (
      select named.*, asset.owner_id from move_in_face named
      join ${backgroundAssets} on asset.id = named.asset_id
      where ${isBehindNamed(after)} and (named.asset_id, named.name) <= (${end.assetId}::uuid, ${end.name})
        and named.is_drawn and asset.width is not null and asset.locked_at is null
        and asset.trashed_at is null
        and (named.created_at < now() - interval '1 day'
          or not exists (select from waiting
            where waiting.owner_id = asset.owner_id and waiting.name = named.name)
          or exists (select from person where person.owner_id = asset.owner_id
            and person.name = named.name and person.merged_into is null))
    ), taken as (
      delete from move_in_face using ready
      where move_in_face.asset_id = ready.asset_id and move_in_face.name = ready.name
    )
    select owner_id as "ownerId", asset_id as "assetId", name, x1, y1, x2, y2 from ready`,
  );

export async function deleteFacesBefore(db: Db, before: Date): Promise<void> {
  await queryRows(
    db,
    sql`delete from move_in_face where created_at < ${before.toISOString()}::timestamptz`,
  );
}
