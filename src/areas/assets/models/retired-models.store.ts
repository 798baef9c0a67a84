import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import type { TaskName } from '../../../inference/index.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

const RETIRED_MODEL_COLUMNS = {
  id: column.integer,
  modelId: column.text,
  /** Names the model's vector files. */
  stamp: column.uuid,
  /** The subject of its vectors; null if none are left. */
  kind: column.text.as<'asset' | 'face' | 'frame' | 'text'>().orNull,
};

export type RetiredModel = InferRow<typeof RETIRED_MODEL_COLUMNS>;

/** Lists models with stored vectors that are not in `used`. */
export async function listRetiredModels(db: Db, used: readonly string[]): Promise<RetiredModel[]> {
  return queryRows(
    db,
    RETIRED_MODEL_COLUMNS,
    sql`
    select id, model_id as "modelId", stamp,
      (select kind from embedding where model = embedding_model.id limit 1) as kind
    from embedding_model
    where model_id not in (
      select value from jsonb_array_elements_text(${JSON.stringify(used)}::jsonb) value)
    order by id`,
  );
}

/** Returns whether the model of a task has become another one in the last days. */
export async function hasChangedWithin(db: Db, task: TaskName, days: number): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    select 1 from analysis_model
    where task = ${task} and changed_at > now() - make_interval(days => ${days}::int)`,
  );
  return rows.length > 0;
}

/** Returns whether video frames of this model wait for their embedding by another model. */
export async function hasFramesWaiting(db: Db, modelId: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    select 1 from video_enrichment video
    where status = 'ready' and ${modelId} = any(string_to_array(models, ' '))
      and not exists (select 1 from job where job.state in ('failed', 'cancelled')
        and job.name like 'enrichment.%' and job.payload ->> 'assetId' = video.asset_id::text)
    limit 1`,
  );
  return rows.length > 0;
}

/** Lists faces with an embedding of this model and none of `current`: the owner drew them by hand. */
export async function listFacesEmbeddedOnlyBy(
  db: Db,
  id: number,
  current: string,
): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select face.id from embedding join face on face.id = embedding.subject_id
    where embedding.model = ${id} and not exists (
      select 1 from embedding other join embedding_model on embedding_model.id = other.model
      where embedding_model.model_id = ${current} and other.subject_id = face.id)`,
  );
  return rows.map((row) => row.id);
}

/** Deletes up to `most` vectors. Returns false when none were left, after deleting the model. */
export async function deleteVectors(db: Db, { id }: RetiredModel, most: number): Promise<boolean> {
  const removed = await queryRows(
    db,
    sql`
    with first as (select min(slot) as slot from embedding where model = ${id})
    delete from embedding using first
    where model = ${id} and embedding.slot < first.slot + ${most}::int returning 1`,
  );
  if (removed.length > 0) return true;
  await queryRows(db, sql`delete from embedding_model where id = ${id}`);
  return false;
}

export async function deletePersonVectors(db: Db, modelId: string): Promise<void> {
  await queryRows(db, sql`delete from person_vector where model_id = ${modelId}`);
}

export const TASKS_BY_KIND = {
  asset: ['embedding', 'feature'],
  frame: ['embedding'],
  face: ['faces'],
  text: ['embedding'],
} as const satisfies Record<NonNullable<RetiredModel['kind']>, readonly TaskName[]>;
