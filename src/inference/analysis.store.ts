import { type SQL, sql } from 'drizzle-orm';
import { texts } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import type { TaskName } from './types.ts';
import { column } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import { IS_ALIVE } from '../nodes/store.ts';
import { saveFault } from '../jobs/faults.store.ts';

/**
 * Locks the preview of an asset until commit. Returns false when the asset is gone or its picture
 * has changed since it was analyzed.
 */
export async function lockUnchangedPreview(
  db: Db,
  assetId: string,
  revision: string,
): Promise<boolean> {
  const rows = await queryRows(
    db,
    { revision: column.text },
    sql`
    select picture_revision(asset_id) as revision from asset_file
    where asset_id = ${assetId} and kind = 'preview' for share`,
  );
  return rows[0]?.revision === revision;
}

export type AnalysisRow = { readonly task: TaskName; readonly modelId: string };

/** Saves which models have run. `failure`: why the picture could not be analyzed. */
export async function saveAnalyses(
  db: Db,
  assetId: string,
  rows: readonly AnalysisRow[],
  failure: string | undefined,
): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into asset_analysis (asset_id, task, model_id, failure)
    select ${assetId}::uuid, item ->> 'task', item ->> 'modelId', ${failure ?? null}
    from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) item
    on conflict (asset_id, task) do update
    set model_id = excluded.model_id, failure = excluded.failure, analyzed_at = now()`,
  );
}

export async function listPausedQueues(db: Db): Promise<ReadonlySet<string>> {
  const rows = await queryRows(
    db,
    { name: column.text },
    sql`select name from queue where is_paused`,
  );
  return new Set(rows.map((row) => row.name));
}

/** Saves the current model of each task; returns whether any has changed. */
export async function saveCurrentModels(db: Db, rows: readonly AnalysisRow[]): Promise<boolean> {
  const changed = await queryRows(
    db,
    sql`
    insert into analysis_model (task, model_id)
    select item ->> 'task', item ->> 'modelId'
    from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) item
    on conflict (task) do update set model_id = excluded.model_id, changed_at = now()
    where analysis_model.model_id <> excluded.model_id
    returning 1`,
  );
  return changed.length > 0;
}

/** The fault that models of the library are not there; no jobs wait for it, so that no lane is to try them. */
const AWAY = { name: 'inference.awaitModels', lane: 'none' } as const;

/**
 * Forgets the current models of tasks that have none here, so that their return is a change, and tells administrators
 * that they are away. Other nodes may have them: where there are some, this one knows nothing of it.
 */
export async function noteAwayModels(db: Db, installed: readonly TaskName[]): Promise<void> {
  const away = await queryRows(
    db,
    { task: column.text },
    sql`
    delete from analysis_model where task <> all(${texts(installed)})
      and not exists (select from node where id <> ${NODE_ID}::uuid and ${IS_ALIVE})
    returning task`,
  );
  if (away.length === 0) return;
  const tasks = away.map(({ task }) => task).toSorted((a, b) => a.localeCompare(b));
  const error = `The models for ${tasks.join(', ')} are away: is their folder mounted? Pictures wait for them.`;
  await saveFault(db, { ...AWAY, error });
}

export const areModelsAway: SQL = sql`exists (select from job_fault where name = ${AWAY.name})`;

/** Models have returned; or nobody awaits them any more, a day after they went. */
export async function endAbsence(db: Db, hasReturned: boolean): Promise<void> {
  await queryRows(
    db,
    sql`delete from job_fault where name = ${AWAY.name}
      and (${hasReturned}::boolean or since < now() - interval '1 day')`,
  );
}
