import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import type { TaskName } from '../../../inference/index.ts';

export type OldModel = {
  readonly id: number;
  readonly modelId: string;
  /** Names its files. */
  readonly stamp: string;
  /** What its vectors are of; null: nothing (any more). */
  readonly kind: 'asset' | 'face' | 'frame' | 'text' | null;
};

/** Models whose vectors are kept, and which are none of these. */
export async function findOldModels(db: Db, used: readonly string[]): Promise<OldModel[]> {
  const rows = await db.execute<OldModel>(sql`
    select id, model_id as "modelId", stamp,
      (select kind from embedding where model = embedding_model.id limit 1) as kind
    from embedding_model
    where model_id not in (
      select value from jsonb_array_elements_text(${JSON.stringify(used)}::jsonb) value)
    order by id`);
  return [...rows];
}

/** Whether frames of videos wait for another model to describe them. */
export async function hasFrames(db: Db, modelId: string): Promise<boolean> {
  const rows = await db.execute(sql`
    select 1 from video_enrichment video
    where status = 'ready' and ${modelId} = any(string_to_array(models, ' '))
      and not exists (select 1 from job where job.state in ('failed', 'cancelled')
        and job.name like 'enrichment.%' and job.payload ->> 'assetId' = video.asset_id::text)
    limit 1`);
  return rows.length > 0;
}

/** Faces that only these models know: their owner put them where a newer one sees none. */
export async function facesKnownOnlyBy(db: Db, id: number, current: string): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select face.id from embedding join face on face.id = embedding.subject_id
    where embedding.model = ${id} and not exists (
      select 1 from embedding other join embedding_model on embedding_model.id = other.model
      where embedding_model.model_id = ${current} and other.subject_id = face.id)`);
  return [...rows].map((row) => row.id);
}

/** Removes some of the vectors by their slots; false: there are no more, and the model is gone too. */
export async function removeVectors(db: Db, { id }: OldModel, most: number): Promise<boolean> {
  const removed = await db.execute(sql`
    with first as (select min(slot) as slot from embedding where model = ${id})
    delete from embedding using first
    where model = ${id} and embedding.slot < first.slot + ${most}::int returning 1`);
  if (removed.length > 0) return true;
  await db.execute(sql`delete from embedding_model where id = ${id}`);
  return false;
}

export async function removePersonVectors(db: Db, modelId: string): Promise<void> {
  await db.execute(sql`delete from person_vector where model_id = ${modelId}`);
}

export const TASKS_OF_KIND = {
  asset: ['embedding', 'feature'],
  frame: ['embedding'],
  face: ['faces'],
  text: ['embedding'],
} as const satisfies Record<NonNullable<OldModel['kind']>, readonly TaskName[]>;
