import { sql } from 'drizzle-orm';
import { uuids, texts } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { selectLabels } from '../match/texts.store.ts';

export type DecidedLabel = {
  readonly label: string;
  readonly score: number;
  /** Null: not decided. */
  readonly isRight: boolean | null;
};

/**
 * Returns the things that an asset shows, with at least this score or a decision, the surest first. Colours, counts and
 * scenes that are not claimed are left out.
 */
export const listLabels = (
  db: Db,
  assetId: string,
  { minScore, broader }: { readonly minScore: number; readonly broader: string },
): Promise<DecidedLabel[]> =>
  queryRows(
    db,
    { label: column.text, score: column.float, isRight: column.boolean.orNull },
    sql`
    select seen.label, max(score)::real as score, seen.is_right as "isRight"
    from ${selectLabels(sql`${assetId}::uuid`, broader)} seen
    left join asset_label_decision decision
      on decision.asset_id = ${assetId} and decision.label = seen.label
    where source <> 'colours' and seen.label !~ '^[0-9]|[?]$'
    group by seen.label, seen.is_right
    having max(score) >= ${minScore}::real or count(decision.label) > 0
    order by max(score) desc, seen.label`,
  );

export const listDecided = async (db: Db, assetId: string): Promise<string[]> => {
  const rows = await queryRows(
    db,
    { label: column.text },
    sql`select label from asset_label_decision where asset_id = ${assetId}`,
  );
  return rows.map(({ label }) => label);
};

type Decision = { readonly label: string; readonly isRight: boolean | null };

/** Null: the model decides again. A confirmed label ends the removal of a broader one: a tabby is a cat. */
export async function saveDecision(
  db: Db,
  assetId: string,
  { label, isRight }: Decision,
  broader: string,
): Promise<void> {
  if (isRight)
    await queryRows(
      db,
      sql`delete from asset_label_decision decision
        where asset_id = ${assetId} and not is_right and exists (
          select from unnest(array['tags', 'objects']) source
          where ${broader}::jsonb -> (source || ':' || ${label}::text) ? decision.label)`,
    );
  await queryRows(
    db,
    isRight === null
      ? sql`delete from asset_label_decision where asset_id = ${assetId} and label = ${label}`
      : sql`insert into asset_label_decision (asset_id, label, is_right)
          values (${assetId}, ${label}, ${isRight})
          on conflict (asset_id, label) do update set is_right = excluded.is_right`,
  );
}

/** Returns those of the assets of which the owner has removed one of the labels. */
export async function findRemoved(
  db: Db,
  assetIds: readonly string[],
  labels: readonly string[],
): Promise<Set<string>> {
  if (assetIds.length === 0 || labels.length === 0) return new Set();
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`select distinct asset_id as id from asset_label_decision
      where asset_id = any(${uuids(assetIds)}) and not is_right and label = any(${texts(labels)})`,
  );
  return new Set(rows.map(({ id }) => id));
}
