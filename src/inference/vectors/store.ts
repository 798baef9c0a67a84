import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import type { NewEmbedding } from './types.ts';
import { uuids } from '../../db/arrays.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

/**
 * Inserts or replaces vectors of one model. Call in the transaction of the change they belong to;
 * write several models in a fixed order, because each write locks its model.
 */
export async function saveEmbeddings(
  db: Db,
  modelId: string,
  embeddings: readonly NewEmbedding[],
): Promise<void> {
  const dimension = embeddings[0]?.vector.length;
  if (dimension === undefined) return;
  if (embeddings.some(({ vector }) => vector.length !== dimension)) {
    throw new Error(`Vectors of ${modelId} differ in length`);
  }
  const model = await lockModel(db, modelId, dimension);
  const rows = embeddings.map(({ kind, subjectId, vector }) => ({
    kind,
    id: subjectId,
    vector: toFloat16(vector).toString('hex'),
  }));
  // A subject that is known keeps its slot; the others get the next ones.
  await queryRows(
    db,
    sql`
    with given as (
      select (item ->> 'id')::uuid as id, item ->> 'kind' as kind,
        decode(item ->> 'vector', 'hex') as vector
      from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) item
    ), placed as (
      select given.*, embedding.slot is null as is_new, coalesce(embedding.slot,
        ${model.slots}::int - 1 + (row_number() over (
          partition by embedding.slot is null order by given.id))::int) as slot
      from given left join embedding
        on embedding.model = ${model.id}::smallint and embedding.subject_id = given.id
    ), written as (
      insert into embedding (model, subject_id, kind, slot, vector)
      select ${model.id}::smallint, id, kind, slot, vector from placed
      on conflict (model, subject_id) do update
      set vector = excluded.vector, kind = excluded.kind, xid = pg_current_xact_id()
    )
    update embedding_model set slots = slots + (select count(*) from placed where is_new)
    where id = ${model.id}::smallint`,
  );
}

/** Locks the row of the model until commit: slots are assigned in sequence. */
async function lockModel(db: Db, modelId: string, dimension: number) {
  await queryRows(
    db,
    sql`
    insert into embedding_model (model_id, dimension) values (${modelId}, ${dimension})
    on conflict (model_id) do nothing`,
  );
  const [model] = await queryRows(
    db,
    { id: column.integer, dimension: column.integer, slots: column.integer },
    sql`
    select id, dimension, slots from embedding_model where model_id = ${modelId} for no key update`,
  );
  if (!model) throw new Error(`The model ${modelId} was removed`);
  if (model.dimension !== dimension) {
    throw new Error(`${modelId} has ${model.dimension} dimensions, not ${dimension}`);
  }
  return model;
}

/** Deletes vectors of all models, or of one. */
export async function deleteEmbeddings(
  db: Db,
  subjectIds: readonly string[],
  modelId?: string,
): Promise<void> {
  if (subjectIds.length === 0) return;
  await queryRows(
    db,
    sql`
    delete from embedding using embedding_model
    where embedding.model = embedding_model.id
      and subject_id = any(${uuids(subjectIds)})
      ${modelId === undefined ? sql`` : sql`and model_id = ${modelId}`}`,
  );
}

export type StoredEmbedding = {
  readonly subjectId: string;
  readonly slot: number;
  readonly vector: Float32Array;
};

/** Returns the vectors of those subjects that have one. */
export async function readEmbeddings(
  db: Db,
  modelId: string,
  subjectIds: readonly string[],
): Promise<StoredEmbedding[]> {
  if (subjectIds.length === 0) return [];
  const rows = await queryRows(
    db,
    { subject_id: column.uuid, slot: column.integer, vector: column.bytea },
    sql`
    select subject_id, slot, vector from embedding
    where model = (select id from embedding_model where model_id = ${modelId})
      and subject_id = any(${uuids(subjectIds)})`,
  );
  return rows.map((row) => ({
    subjectId: row.subject_id,
    slot: row.slot,
    vector: fromFloat16(row.vector),
  }));
}

/** Converts to the stored form: IEEE 754 half precision, little-endian. */
export function toFloat16(vector: Float32Array): Buffer {
  const half = Float16Array.from(vector);
  return Buffer.from(half.buffer, half.byteOffset, half.byteLength);
}

export function fromFloat16(bytes: Uint8Array): Float32Array {
  // The driver's buffers start anywhere; these numbers must start at an even place.
  return Float32Array.from(new Float16Array(new Uint8Array(bytes).buffer));
}
