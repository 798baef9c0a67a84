import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { addScaled, fromFloat16, normalize, toFloat16 } from '../../../inference/index.ts';
import { uuids } from '../../../db/arrays.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

/** Number of faces that suffice for a centroid. */
const SAMPLE = 64;

/** Returns the model of the newest faces: vectors of other models are not comparable. */
export async function findNewestFaceModel(db: Db, ownerId: string): Promise<string | undefined> {
  const [row] = await queryRows(
    db,
    { modelId: column.text },
    sql`
    select model_id as "modelId" from face where owner_id = ${ownerId} and model_id is not null
    order by created_at desc limit 1`,
  );
  return row?.modelId;
}

/**
 * Returns the centroid of each person's visible faces, unit length. People without vectors are
 * omitted.
 */
export async function getPersonVectors(
  db: Db,
  modelId: string,
  personIds: readonly string[],
): Promise<Map<string, Float32Array>> {
  if (personIds.length === 0) return new Map();
  const kept = await queryRows(
    db,
    { id: column.uuid, vector: column.bytea },
    sql`
    select person_id as id, vector from person_vector
    where model_id = ${modelId} and person_id = any(${uuids(personIds)})`,
  );
  const found = new Map([...kept].map((row) => [row.id, fromFloat16(row.vector)]));
  const missing = personIds.filter((id) => !found.has(id));
  if (missing.length === 0) return found;
  const made = await computeCentroids(db, modelId, missing);
  await saveVectors(db, modelId, made);
  for (const [id, { vector }] of made) found.set(id, vector);
  return found;
}

type Centroid = { readonly vector: Float32Array; readonly faces: number };

async function computeCentroids(db: Db, modelId: string, personIds: readonly string[]) {
  const rows = await queryRows(
    db,
    { id: column.uuid, vector: column.bytea },
    sql`
    select sample.person_id as id, embedding.vector
    from unnest(${uuids(personIds)}) wanted (id)
    cross join lateral (
      select shown_face.id, shown_face.person_id from shown_face
      where shown_face.person_id = wanted.id
      order by shown_face.asset_id limit ${SAMPLE}
    ) sample
    join embedding on embedding.subject_id = sample.id
      and embedding.model = (select id from embedding_model where model_id = ${modelId})`,
  );
  const sums = new Map<string, { sum: Float32Array; faces: number }>();
  for (const row of rows) {
    const vector = fromFloat16(row.vector);
    const entry = sums.get(row.id) ?? { sum: new Float32Array(vector.length), faces: 0 };
    addScaled(entry.sum, vector, 1);
    entry.faces += 1;
    sums.set(row.id, entry);
  }
  return new Map<string, Centroid>(
    [...sums].map(([id, { sum, faces }]) => [id, { vector: normalize(sum), faces }]),
  );
}

async function saveVectors(db: Db, modelId: string, made: ReadonlyMap<string, Centroid>) {
  if (made.size === 0) return;
  const rows = [...made].map(([id, { vector, faces }]) => ({
    id,
    faces,
    vector: toFloat16(vector).toString('hex'),
  }));
  await queryRows(
    db,
    sql`
    insert into person_vector (person_id, model_id, faces, vector)
    select (item ->> 'id')::uuid, ${modelId}, (item ->> 'faces')::int,
      decode(item ->> 'vector', 'hex')
    from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) item
    where exists (select from person where person.id = (item ->> 'id')::uuid)
    on conflict (person_id) do update
    set model_id = excluded.model_id, faces = excluded.faces, vector = excluded.vector`,
  );
}

/** Deletes cached centroids after the vectors of their faces changed. */
export async function deletePersonVectors(db: Db, personIds: readonly string[]): Promise<void> {
  await queryRows(db, sql`delete from person_vector where person_id = any(${uuids(personIds)})`);
}

/** Returns the vectors of the visible faces on an asset. */
export async function listFaceVectors(
  db: Db,
  modelId: string,
  assetId: string,
): Promise<Float32Array[]> {
  const rows = await queryRows(
    db,
    { vector: column.bytea },
    sql`
    select embedding.vector from face
    join embedding on embedding.subject_id = face.id
      and embedding.model = (select id from embedding_model where model_id = ${modelId})
    where face.asset_id = ${assetId} and not face.is_hidden`,
  );
  return rows.map((row) => fromFloat16(row.vector));
}
