import { sql } from 'drizzle-orm';
import { selectPreviewName } from '../../../inference/subject.store.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { requireUser, ownAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import { uuids } from '../../../db/arrays.ts';
import { selectVisiblePeople } from '../store.ts';

const THUMBNAIL_COLUMNS = {
  tag: column.text,
  size: column.integer,
  /** Key of its object; null: it is a file. */
  objectName: column.text.orNull,
};

export type Thumbnail = InferRow<typeof THUMBNAIL_COLUMNS>;

/** Returns the thumbnail on disk, if its face still belongs to the person and is visible. */
export async function findThumbnail(db: Db, personId: string): Promise<Thumbnail | undefined> {
  const [row] = await queryRows(
    db,
    THUMBNAIL_COLUMNS,
    sql`
    select person.thumbnail_tag as tag, person.thumbnail_size as size,
      person.thumbnail_object as "objectName"
    from person join shown_face on shown_face.id = person.thumbnail_face_id
      and shown_face.person_id = person.id
    where person.id = ${personId} and person.thumbnail_tag is not null`,
  );
  return row;
}

/** Waits for the transaction that changes the person. */
export async function waitForPersonLock(db: Db, personId: string): Promise<void> {
  await queryRows(db, sql`select from person where id = ${personId} for share`);
}

/** Candidate faces for the best one: a person on many photos has a good one early. */
const CANDIDATES = 500;

const THUMBNAIL_SUBJECT_COLUMNS = {
  faceId: column.uuid,
  x1: column.float,
  y1: column.float,
  x2: column.float,
  y2: column.float,
  /** Preview file, relative to the derived folder. */
  preview: column.text,
};

export type ThumbnailSubject = InferRow<typeof THUMBNAIL_SUBJECT_COLUMNS>;

/** Condition: edits have not cropped the face away. */
const IS_INSIDE = sql.raw('x1 + x2 between 0 and 2 and y1 + y2 between 0 and 2');

/** Returns the chosen face if it is visible, else the largest and clearest candidate. */
export async function findThumbnailSubject(
  db: Db,
  personId: string,
): Promise<ThumbnailSubject | undefined> {
  const [row] = await queryRows(
    db,
    THUMBNAIL_SUBJECT_COLUMNS,
    sql`
    with chosen as (
      select shown_face.* from shown_face join person on person.id = shown_face.person_id
      where person.id = ${personId} and shown_face.id = person.cover_face_id and ${IS_INSIDE}
    ), candidate as (
      select * from chosen
      union all
      (select * from shown_face where person_id = ${personId} and ${IS_INSIDE} and not exists (select from chosen)
        order by asset_id limit ${CANDIDATES})
    )
    select candidate.id as "faceId", x1, y1, x2, y2, ${selectPreviewName(sql`candidate.asset_id`)} as preview
    from candidate join asset_file file
      on file.asset_id = candidate.asset_id and file.kind = 'preview'
    order by (x2 - x1) * (y2 - y1) * coalesce(score, 1) desc, candidate.id limit 1`,
  );
  return row;
}

/**
 * Returns the owner of the person; undefined when the person is gone and the file is nobody's. A
 * face that was reassigned meanwhile leaves the thumbnail without a face until the next rendering.
 */
export async function saveThumbnail(
  db: Db,
  personId: string,
  {
    faceId,
    tag,
    size,
    objectName,
    now,
  }: Thumbnail & { readonly faceId: string; readonly now: Date },
): Promise<string | undefined> {
  // Locked by a separate statement: an update that waits would see the faces of before the wait.
  await queryRows(db, sql`select from person where id = ${personId} for update`);
  const [row] = await queryRows(
    db,
    { ownerId: column.uuid },
    sql`
    update person set thumbnail_face_id = (select face.id from shown_face face
        where face.id = ${faceId} and face.person_id = person.id),
      thumbnail_tag = ${tag}, thumbnail_size = ${size}, thumbnail_object = ${objectName},
      updated_at = ${now.toISOString()}::timestamptz
    where id = ${personId} returning owner_id as "ownerId"`,
  );
  return row?.ownerId;
}

/** Deletes the thumbnail of a person without visible faces. Returns the owner if there was one. */
export async function deleteThumbnail(
  db: Db,
  personId: string,
  now: Date,
): Promise<string | undefined> {
  const [row] = await queryRows(
    db,
    { ownerId: column.uuid },
    sql`
    update person set thumbnail_face_id = null, thumbnail_tag = null, thumbnail_size = null,
      thumbnail_object = null,
      updated_at = ${now.toISOString()}::timestamptz
    where id = ${personId} and thumbnail_tag is not null returning owner_id as "ownerId"`,
  );
  return row?.ownerId;
}

/**
 * Detaches a thumbnail whose face belongs to somebody else by now; the file stays until it is
 * replaced.
 */
export async function detachForeignThumbnail(db: Db, personId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    update person set thumbnail_face_id = null
    where id = ${personId} and thumbnail_face_id is not null and not exists (
      select from shown_face face
      where face.id = person.thumbnail_face_id and face.person_id = person.id)`,
  );
}

const CARD_COLUMNS = {
  title: column.text,
  /** Timeline items that show the person. */
  count: column.integer,
  /** Shows the chosen face if it is on the Timeline, else any face of the person. */
  coverAssetId: column.uuid.orNull,
};
type PersonCard = InferRow<typeof CARD_COLUMNS>;

/** Returns the cards of those of `ids` that are visible people of the caller. */
export async function getPersonCards(
  db: Db,
  session: Session,
  ids: readonly string[],
): Promise<Map<string, PersonCard>> {
  if (ids.length === 0) return new Map();
  const user = requireUser(session);
  const shown = sql`face join ${ownAssets(db, user, 'timeline')} on asset.id = face.asset_id`;
  const rows = await queryRows(
    db,
    { id: column.uuid, ...CARD_COLUMNS },
    sql`
    select person.id, person.name as title, (
        select count(distinct asset.id)::int from ${shown}
        where face.person_id = person.id and not face.is_hidden) as count, coalesce(
      (select asset.id from ${shown}
        where face.id = person.cover_face_id and face.person_id = person.id and not face.is_hidden),
      (select asset.id from ${shown}
        where face.person_id = person.id and not face.is_hidden order by asset.id limit 1)
    ) as "coverAssetId"
    from ${selectVisiblePeople({ db, session: user })} person
    where person.id = any(${uuids(ids)})`,
  );
  return new Map(rows.map(({ id, ...card }) => [id, card]));
}
