import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { faceCorrections, type Named, people, type PersonRow } from '../../../db/tables/people.ts';
import { updatePerson } from '../store.ts';
import { uuids } from '../../../db/arrays.ts';
import { keepLimit } from '../../../db/limits/keep-limit.ts';
import { column } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';

/**
 * Moves all faces of `merged` to the survivor and marks the merged people, so that an undo restores
 * their ids. The caller has locked all of them.
 */
export async function mergeInto(
  db: Db,
  survivor: PersonRow,
  merged: readonly PersonRow[],
  now: Date,
): Promise<PersonRow> {
  const before = pickNamed(survivor);
  const all = [survivor, ...merged];
  const after: Named = {
    name: all.find((person) => person.name !== '')?.name ?? '',
    birthDate: all.find((person) => person.birthDate !== null)?.birthDate ?? null,
    coverFaceId: all.find((person) => person.coverFaceId !== null)?.coverFaceId ?? null,
  };
  const mergedIds = merged.map((person) => person.id);
  const { ownerId } = survivor;
  const record = getRow(
    await keepLimit({ db }, 'faceCorrection', { ownerId }, ({ db }) =>
      db
        .insert(faceCorrections)
        .values({
          ownerId,
          kind: 'merge',
          personId: survivor.id,
          survivor: { before, after },
          mergedIds,
          createdAt: now,
        })
        .returning({ id: faceCorrections.id }),
    ),
  );
  await queryRows(
    db,
    sql`
    with old as materialized (
      select id, person_id, decided_by from face
      where person_id = any(${uuids(mergedIds)}) order by id for update
    ), moved as (
      update face set person_id = ${survivor.id}, decided_by = 'owner', revision = revision + 1,
        clustered_at = coalesce(clustered_at, ${now.toISOString()}::timestamptz),
        updated_at = ${now.toISOString()}::timestamptz
      from old where face.id = old.id
      returning face.id, face.revision, old.person_id, old.decided_by
    )
    insert into face_correction_face
      (correction_id, face_id, previous_person_id, previous_decided_by, revision)
    select ${record.id}, id, person_id, decided_by, revision from moved`,
  );
  await db
    .update(people)
    .set({ mergedInto: survivor.id, updatedAt: now })
    .where(sql`${people.id} = any(${uuids(mergedIds)})`);
  return updatePerson(db, survivor.id, after, now);
}

const pickNamed = ({ name, birthDate, coverFaceId }: PersonRow): Named => ({
  name,
  birthDate,
  coverFaceId,
});

export async function countFaces(
  db: Db,
  personIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await queryRows(
    db,
    { id: column.uuid, faces: column.integer },
    sql`
    select person_id as id, count(*)::int as faces from face
    where person_id = any(${uuids(personIds)}) group by person_id`,
  );
  return new Map([...rows].map((row) => [row.id, row.faces]));
}

/** Returns the other accounts of the user's cluster group, without deleted ones. */
export async function listClusterPartners(db: Db, userId: string): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select other.id from app_user mine
    join app_user other
      on other.cluster_group_id = mine.cluster_group_id and other.id <> mine.id
    where mine.id = ${userId} and other.deleted_at is null order by other.id`,
  );
  return rows.map((row) => row.id);
}

/** Returns the ids of all people of an account that are not merged. */
export async function listPeopleIds(db: Db, ownerId: string): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from person where owner_id = ${ownerId} and merged_into is null`,
  );
  return rows.map((row) => row.id);
}
