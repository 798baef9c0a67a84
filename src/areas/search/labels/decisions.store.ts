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

/** Returns things (no colours) that an asset shows, with at least this score or a decision; the surest first. */
export const listLabels = (db: Db, assetId: string, minScore: number): Promise<DecidedLabel[]> =>
  queryRows(
    db,
    { label: column.text, score: column.float, isRight: column.boolean.orNull },
    sql`
    select label, max(score)::real as score, is_right as "isRight"
    from ${selectLabels(sql`${assetId}::uuid`)} seen
    where source <> 'colours'
    group by label, is_right
    having max(score) >= ${minScore}::real or is_right is not null
    order by max(score) desc, label`,
  );

/** Null: the model decides again. */
export async function saveDecision(
  db: Db,
  assetId: string,
  label: string,
  isRight: boolean | null,
): Promise<void> {
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
