import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { addScaled, fromFloat16 } from '../../../inference/index.ts';
import type { KnownPerson } from './clustering.ts';
import { selectMinimumFaces } from '../store.ts';
import { uuids } from '../../../db/arrays.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';

// Jobs read all faces, also on Locked or trashed items; visibility is applied when people are
// shown.

/** Returns an account with unclustered faces. */
export async function findWaitingOwner(db: Db): Promise<string | undefined> {
  const [row] = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select owner_id as id from face where clustered_at is null order by owner_id limit 1`,
  );
  return row?.id;
}

const WAITING_FACE_COLUMNS = {
  id: column.uuid,
  personId: column.uuid.orNull,
  revision: column.integer,
  /** Shows too little to be told apart surely. */
  isWeak: column.boolean,
};

export type WaitingFace = InferRow<typeof WAITING_FACE_COLUMNS>;

/** Shorter side in pixels, and confidence of the detection, below which a face shows too little. */
const [WEAK_SIDE_PX, WEAK_SCORE] = [40, 0.75];
const IS_WEAK = sql`(face.box_by = 'machine'
  and coalesce(face.side_px < ${WEAK_SIDE_PX} or face.score < ${WEAK_SCORE}, false))`;

/** Returns unclustered faces by id, so that comparisons are repeatable. */
export async function listWaitingFaces(
  db: Db,
  ownerId: string,
  limit: number,
): Promise<WaitingFace[]> {
  return queryRows(
    db,
    WAITING_FACE_COLUMNS,
    sql`
    select id, person_id as "personId", revision, ${IS_WEAK} as "isWeak" from face
    where clustered_at is null and owner_id = ${ownerId} order by id limit ${limit}`,
  );
}

/** Returns the model of the account's newest face vectors. */
export async function findFaceModel(db: Db, ownerId: string): Promise<string | undefined> {
  const [row] = await queryRows(
    db,
    { modelId: column.text },
    sql`
    select model_id as "modelId" from face
    where owner_id = ${ownerId} and model_id is not null order by updated_at desc limit 1`,
  );
  return row?.modelId;
}

export type Neighbour = WaitingFace & {
  readonly slot: number;
  readonly isWaiting: boolean;
  readonly isLoose: boolean;
};

/** Returns the account's visible faces by vector slot. */
export async function findFacesBySlot(
  db: Db,
  { ownerId, modelId }: { readonly ownerId: string; readonly modelId: string },
  slots: readonly number[],
): Promise<Map<number, Neighbour>> {
  if (slots.length === 0) return new Map();
  const rows = await queryRows(
    db,
    {
      id: column.uuid,
      personId: column.uuid.orNull,
      revision: column.integer,
      isWeak: column.boolean,
      slot: column.integer,
      isWaiting: column.boolean,
      isLoose: column.boolean,
    },
    sql`
    select face.id, face.person_id as "personId", face.revision, embedding.slot,
      face.clustered_at is null as "isWaiting", ${IS_WEAK} as "isWeak",
      face.person_id is null and face.decided_by = 'machine' as "isLoose"
    from embedding join face on face.id = embedding.subject_id
    where embedding.model = (select id from embedding_model where model_id = ${modelId})
      and embedding.slot = any(${`{${slots.join(',')}}`}::int[])
      and face.owner_id = ${ownerId} and not face.is_hidden`,
  );
  return new Map([...rows].map((row) => [row.slot, row]));
}

/**
 * Returns the account's slots as packed big-endian int32; undefined when no other account has
 * faces, and all slots are its own.
 */
export async function findOwnSlots(
  db: Db,
  { ownerId, modelId }: { readonly ownerId: string; readonly modelId: string },
): Promise<Uint8Array | undefined> {
  const [others] = await queryRows(
    db,
    { found: column.boolean },
    sql`
    select exists (select from face where owner_id <> ${ownerId}) as found`,
  );
  if (!others?.found) return undefined;
  const [row] = await queryRows(
    db,
    { slots: column.bytea.orNull },
    sql`
    select string_agg(int4send(slot), ''::bytea) as slots
    from face join embedding on embedding.subject_id = face.id
    where face.owner_id = ${ownerId}
      and embedding.model = (select id from embedding_model where model_id = ${modelId})`,
  );
  return row?.slots ?? new Uint8Array();
}

/** Number of faces that suffice for a centroid. */
const SAMPLE = 64;

export async function listKnownPeople(
  db: Db,
  modelId: string,
  personIds: readonly string[],
): Promise<KnownPerson[]> {
  if (personIds.length === 0) return [];
  const protection = await filterOwnerConfirmed(db, personIds);
  const rows = await queryRows(
    db,
    { id: column.uuid, createdAt: column.text, vector: column.bytea },
    sql`
    select person.id, person.created_at::text as "createdAt", embedding.vector
    from person cross join lateral (
      select id from face where face.person_id = person.id and not face.is_hidden
        and face.clustered_at is not null
      order by face.asset_id, face.id limit ${SAMPLE}
    ) sample
    join embedding on embedding.subject_id = sample.id
      and embedding.model = (select id from embedding_model where model_id = ${modelId})
    where person.id = any(${uuids(personIds)})`,
  );
  const found = new Map<string, { sum: Float32Array; count: number; createdAt: string }>();
  for (const row of rows) {
    const vector = fromFloat16(row.vector);
    const known = found.get(row.id) ?? {
      sum: new Float32Array(vector.length),
      count: 0,
      createdAt: row.createdAt,
    };
    addScaled(known.sum, vector, 1);
    known.count += 1;
    found.set(row.id, known);
  }
  return [...found].map(([id, known]) => ({ id, ...known, isProtected: protection.has(id) }));
}

/** Returns the people whom the owner has named, edited or decided about. */
export async function filterOwnerConfirmed(
  db: Db,
  personIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (personIds.length === 0) return new Set();
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from person where id = any(${uuids(personIds)}) and (
      name <> '' or is_manual or is_hidden or is_favorite or birth_date is not null
      or exists (select from face where face.person_id = person.id and decided_by = 'owner')
      or exists (select from merge_verdict where person.id in (low_id, high_id)))`,
  );
  return new Set([...rows].map((row) => row.id));
}

/** Returns the people with a clustered face. */
export async function filterSettled(
  db: Db,
  personIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (personIds.length === 0) return new Set();
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from person where id = any(${uuids(personIds)})
      and exists (select from face where face.person_id = person.id
        and not face.is_hidden and clustered_at is not null)`,
  );
  return new Set([...rows].map((row) => row.id));
}

/** Returns the number of faces that make a person, by the owner's preference. */
export async function getMinimumFaces(db: Db, ownerId: string): Promise<number> {
  const row = getRow(
    await queryRows(
      db,
      { minimum: column.bigint },
      sql`select ${selectMinimumFaces(ownerId)} as minimum`,
    ),
  );
  return Number(row.minimum);
}

export async function insertPeople(db: Db, ownerId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await queryRows(
    db,
    sql`
    insert into person (id, owner_id)
    select id, ${ownerId} from unnest(${uuids(ids)}) id`,
  );
}

export type Assignment = Pick<WaitingFace, 'id' | 'revision'> & {
  readonly personId: string | null;
};

/**
 * Assigns faces that have not changed since they were read. Returns the people who gained or lost a
 * face.
 */
export async function assignFaces(
  db: Db,
  assignments: readonly Assignment[],
  now: Date,
): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid.orNull, former: column.uuid.orNull },
    sql`
    with given as materialized (
      select given.*, face.person_id as former from
        jsonb_to_recordset(${JSON.stringify(assignments)}::jsonb)
          as given (id uuid, revision int, "personId" uuid)
        join face on face.id = given.id
      where face.revision = given.revision and face.decided_by = 'machine'
      order by face.id for update of face
    )
    update face set clustered_at = ${now.toISOString()}::timestamptz,
      updated_at = ${now.toISOString()}::timestamptz, person_id = person.id,
      revision = face.revision + (face.person_id is distinct from person.id)::int
    from given left join person on person.id = given."personId" and person.merged_into is null
    where face.id = given.id
    returning person.id, given.former`,
  );
  const changed = [...rows].filter((row) => row.id !== row.former);
  return [...new Set(changed.flatMap((row) => [row.id, row.former]))].filter((id) => id !== null);
}

/** Merges `gone` into `kept`, unless the owner has confirmed `gone`. */
export async function mergeUnconfirmed(
  db: Db,
  kept: string,
  gone: string,
  now: Date,
): Promise<void> {
  const protection = await filterOwnerConfirmed(db, [gone]);
  if (protection.has(gone)) return;
  await queryRows(
    db,
    sql`
    update face set person_id = ${kept}, revision = revision + 1,
      updated_at = ${now.toISOString()}::timestamptz
    where person_id = ${gone} and exists (
      select from person where id = ${kept} and merged_into is null)`,
  );
  await queryRows(
    db,
    sql`
    delete from person where id = ${gone}
      and not exists (select from face where person_id = ${gone})`,
  );
}

const IS_EMPTY = sql`not exists (select from face where face.person_id = person.id)`;

/** Deletes unconfirmed people without faces. */
export async function deleteEmptyPeople(db: Db, ownerId: string): Promise<void> {
  const empty = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from person where owner_id = ${ownerId} and merged_into is null and not is_manual
      and name = '' and birth_date is null and not is_favorite and not is_hidden and ${IS_EMPTY}
      and not exists (select from person shadow where shadow.merged_into = person.id)
      and not exists (select from merge_verdict where low_id = person.id)
      and not exists (select from merge_verdict where high_id = person.id)
      and not exists (select from face_correction
        where face_correction.person_id = person.id)
      and not exists (select from face_correction
        where face_correction.previous_person_id = person.id)
    order by id for update`,
  );
  if (empty.length === 0) return;
  // A face may have been assigned until the people were locked.
  await queryRows(
    db,
    sql`delete from person where id = any(${uuids(empty.map(({ id }) => id))}) and ${IS_EMPTY}`,
  );
}

/**
 * Marks all faces that the owner has not assigned as unclustered, of all accounts or of a cluster group;
 * they keep their person until then.
 */
export async function requeueUnassignedFaces(db: Db, clusterGroupId?: string): Promise<void> {
  const inGroup = clusterGroupId
    ? sql`owner_id in (select id from app_user
        where cluster_group_id = ${clusterGroupId} and deleted_at is null)`
    : sql`true`;
  await queryRows(
    db,
    sql`
    update face set clustered_at = null
    where decided_by = 'machine' and not is_hidden and clustered_at is not null and ${inGroup}`,
  );
}
