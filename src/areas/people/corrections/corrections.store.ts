import { and, eq, type SQL, sql } from 'drizzle-orm';
import { isKnownPerson, type LabelViewer } from '../../../access/locked-labels.ts';
import { ownAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import {
  type CorrectionRow,
  faceCorrections,
  faces,
  type FaceRow,
  people,
} from '../../../db/tables/people.ts';
import type { UndoBlock } from '../schemas.ts';
import { pickBox } from '../face-box.ts';
import { uuids } from '../../../db/arrays.ts';
import { keepLimit } from '../../../db/limits/keep-limit.ts';
import { getRow, queryRows } from '../../../db/query.ts';

/** Records a decision of the owner about a face: the row before and after it. */
export async function recordCorrection(
  db: Db,
  kind: Exclude<CorrectionRow['kind'], 'merge'>,
  { before, after }: { readonly before: FaceRow; readonly after: FaceRow },
  { revision, now }: { readonly revision: string; readonly now: Date },
): Promise<void> {
  const values = {
    ownerId: after.ownerId,
    kind,
    personId: after.personId,
    previousPersonId: before.personId,
    faceId: after.id,
    assetId: after.assetId,
    sourceRevision: revision,
    box: pickBox(after),
    previousBox: kind === 'box-moved' ? pickBox(before) : null,
    previousBoxBy: kind === 'box-moved' ? before.boxBy : null,
    previousDecidedBy: before.decidedBy,
    createdAt: now,
  };
  await keepLimit({ db }, 'faceCorrection', { ownerId: after.ownerId }, ({ db }) =>
    db.insert(faceCorrections).values(values),
  );
}

export type CorrectionView = CorrectionRow & {
  readonly moved: number;
  /** Why it cannot be undone; null when it can. */
  readonly block: UndoBlock | null;
};

const MERGE_BLOCK = sql`case
  when not exists (select from person where person.id = face_correction.person_id
    and person.merged_into is null) then 'person-gone'
  when (select count(*) from person where person.id = any(face_correction.merged_ids)
    and person.merged_into = face_correction.person_id)
    < cardinality(face_correction.merged_ids) then 'person-gone'
  else (
    select case
      when bool_or(face.id is null) then 'face-gone'
      when bool_or(face.person_id is distinct from face_correction.person_id) then 'person-changed'
      when bool_or(face.revision <> moved.revision) then 'box-changed' end
    from face_correction_face moved left join face on face.id = moved.face_id
    where moved.correction_id = face_correction.id)
  end`;

const BLOCK = sql`case
  when face_correction.undone_at is not null then 'already-undone'
  when face_correction.kind = 'merge' then ${MERGE_BLOCK}
  when face.id is null then 'face-gone'
  when picture_revision(face.asset_id) is distinct from face_correction.source_revision
    then 'original-changed'
  when jsonb_build_object('x1', face.x1, 'y1', face.y1, 'x2', face.x2, 'y2', face.y2,
      'imageWidth', face.image_width, 'imageHeight', face.image_height)
    is distinct from face_correction.box then 'box-changed'
  when face.person_id is distinct from face_correction.person_id then 'person-changed'
  when face_correction.kind = 'not-a-face' and not face.is_hidden then 'already-undone'
  when face_correction.previous_person_id is not null
    and not exists (select from person where person.id = face_correction.previous_person_id
      and person.merged_into is null) then 'person-gone'
  end`;

const MOVED = sql<number>`case when ${faceCorrections.kind} = 'merge' then (
  select count(*)::int from face_correction_face moved
  where moved.correction_id = ${faceCorrections.id}) else 1 end`;

const select = (db: Db, where: SQL | undefined) =>
  db
    .select({
      record: faceCorrections,
      moved: MOVED,
      block: sql<UndoBlock | null>`${BLOCK}`,
    })
    .from(faceCorrections)
    .leftJoin(faces, eq(faces.id, faceCorrections.faceId))
    .where(where);

const toView = (row: {
  record: CorrectionRow;
  moved: number;
  block: UndoBlock | null;
}): CorrectionView => ({ ...row.record, moved: row.moved, block: row.block });

/**
 * Returns the stored id of a person, also of one that was merged: the merge is what can be undone.
 */
export async function findIncludingMerged(
  db: Db,
  owner: LabelViewer,
  id: string,
): Promise<string | undefined> {
  const [row] = await db
    .select({ id: people.id })
    .from(people)
    .where(and(eq(people.ownerId, owner.userId), eq(people.id, id), isKnownPerson(owner)));
  return row?.id;
}

/** Condition: records about a person whose photo the session may see. */
const isVisibleFor = (db: Db, session: Session, personId: string): SQL => sql`
  (${faceCorrections.personId} = ${personId} or ${faceCorrections.previousPersonId} = ${personId}
    or ${faceCorrections.mergedIds} @> ${`{${personId}}`}::uuid[])
  and case when ${faceCorrections.kind} = 'merge' then
    not exists (select from face_correction_face moved
      where moved.correction_id = ${faceCorrections.id})
    or exists (select from face_correction_face moved join face on face.id = moved.face_id
      join ${ownAssets(db, session, 'library')} on asset.id = face.asset_id
      where moved.correction_id = ${faceCorrections.id})
  else ${faceCorrections.assetId} in (
    select asset.id from ${ownAssets(db, session, 'library')}
    where asset.id = ${faceCorrections.assetId})
  end`;

export async function listCorrections(
  db: Db,
  session: Session,
  ownerId: string,
  {
    personId,
    limit,
    offset,
  }: { readonly personId: string; readonly limit: number; readonly offset: number },
): Promise<{ rows: CorrectionView[]; total: number }> {
  const where = and(eq(faceCorrections.ownerId, ownerId), isVisibleFor(db, session, personId));
  const rows = await select(db, where)
    .orderBy(sql`${faceCorrections.createdAt} desc, ${faceCorrections.seq} desc`)
    .limit(limit)
    .offset(offset);
  const [count] = await db
    .select({ total: sql<number>`count(*)::int` })
    .from(faceCorrections)
    .where(where);
  return { rows: rows.map(toView), total: count?.total ?? 0 };
}

export async function findCorrection(
  db: Db,
  ownerId: string,
  id: string,
): Promise<CorrectionView | undefined> {
  const where = and(eq(faceCorrections.ownerId, ownerId), eq(faceCorrections.id, id));
  const [row] = await select(db, where);
  return row && toView(row);
}

/** Locks all rows that the undo depends on until the transaction ends. */
export async function lockCorrection(db: Db, record: CorrectionRow): Promise<void> {
  const { id, faceId, kind, personId, mergedIds } = record;
  const peopleIds = [personId, record.previousPersonId, ...mergedIds].filter((one) => one !== null);
  await queryRows(db, sql`select 1 from face_correction where id = ${id} for update`);
  await queryRows(
    db,
    sql`
    select 1 from person where id = any(${uuids(peopleIds)})
    order by id for update`,
  );
  if (kind !== 'merge') {
    await queryRows(db, sql`select 1 from face where id = ${faceId} for update`);
    return;
  }
  await queryRows(
    db,
    sql`
    select 1 from face where id in (
      select face_id from face_correction_face where correction_id = ${id})
    order by id for update`,
  );
}

export async function markUndone(db: Db, id: string, now: Date): Promise<void> {
  await db.update(faceCorrections).set({ undoneAt: now }).where(eq(faceCorrections.id, id));
}

export type FaceChange = Partial<
  Pick<FaceRow, 'personId' | 'isHidden' | 'decidedBy' | 'boxBy' | 'clusteredAt'> &
    Pick<FaceRow, 'x1' | 'y1' | 'x2' | 'y2' | 'imageWidth' | 'imageHeight' | 'sourceRevision'>
>;

/** Updates a face and increments its revision. */
export async function changeFace(
  db: Db,
  id: string,
  change: FaceChange,
  now: Date,
): Promise<FaceRow> {
  const row = getRow(
    await db
      .update(faces)
      .set({ ...change, revision: sql`${faces.revision} + 1`, updatedAt: now })
      .where(eq(faces.id, id))
      .returning(),
  );
  return row;
}

/**
 * Restores merged people under their old ids, with their faces. The caller has checked that none
 * has changed.
 */
export async function undoMerge(db: Db, record: CorrectionRow, now: Date): Promise<void> {
  await db
    .update(people)
    .set({ mergedInto: null, updatedAt: now })
    .where(sql`${people.id} = any(${uuids(record.mergedIds)})`);
  await queryRows(
    db,
    sql`
    update face set person_id = moved.previous_person_id, decided_by = moved.previous_decided_by,
      revision = face.revision + 1, updated_at = ${now.toISOString()}::timestamptz
    from face_correction_face moved
    where moved.correction_id = ${record.id} and face.id = moved.face_id`,
  );
  const { personId, survivor } = record;
  if (!personId || !survivor) return;
  const { before, after } = survivor;
  // Later edits of the owner stay.
  await queryRows(
    db,
    sql`
    update person set updated_at = ${now.toISOString()}::timestamptz,
      name = case when name = ${after.name} then ${before.name} else name end,
      birth_date = case when birth_date is not distinct from ${after.birthDate}::date
        then ${before.birthDate}::date else birth_date end,
      cover_face_id = case when cover_face_id is not distinct from ${after.coverFaceId}::uuid
        then ${before.coverFaceId}::uuid else cover_face_id end
    where id = ${personId} and merged_into is null`,
  );
}

export async function faceExists(db: Db, id: string): Promise<boolean> {
  const rows = await db.select({ id: faces.id }).from(faces).where(eq(faces.id, id));
  return rows.length > 0;
}
