import { sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

export type WorkflowMailItem = { readonly assetId: string; readonly text: string };

/** Values of a message that a step of a workflow sends. */
export type WorkflowMailData = {
  /** Workflow and index of the step. */
  readonly step: string;
  readonly subject: string;
  /** The first items, each with what the step says of it. */
  readonly items: readonly WorkflowMailItem[];
  readonly count: number;
};

const MAX_ITEMS = 20;

/** Makes transactions that send mail of one step wait for each other. */
export const lockStep = (db: Db, step: string): Promise<unknown> =>
  queryRows(db, sql`select pg_advisory_xact_lock(hashtext('workflow_mail'), hashtext(${step}))`);

/**
 * Adds an item to the message of a step that has not been tried to send; returns false if there is none.
 * It is then sent a minute later, but not later than a quarter of an hour after its first item.
 */
export async function addItem(
  db: Db,
  userId: string,
  step: string,
  { item, now }: { readonly item: WorkflowMailItem; readonly now: Date },
): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    update mail_message set
      next_attempt_at = least(created_at + interval '15 minutes',
        ${now.toISOString()}::timestamptz + interval '1 minute'),
      data = data || jsonb_build_object('count', (data -> 'count')::int + 1, 'items', case
        when jsonb_array_length(data -> 'items') < ${MAX_ITEMS}::int
        then (data -> 'items') || ${JSON.stringify([item])}::jsonb else data -> 'items' end)
    where user_id = ${userId}::uuid and template = 'workflow' and status = 'queued'
      and first_attempt_at is null and leased_until is null and data ->> 'step' = ${step}
    returning 1`,
  );
  return rows.length > 0;
}

/** Returns those of the assets that the account sees without the PIN, outside of the trash. */
export async function filterInLibrary(
  db: Db,
  session: UserSession,
  assetIds: readonly string[],
): Promise<Set<string>> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select asset.id from ${ownAssets(db, session, 'library')}
    where asset.id = any(${uuids(assetIds)})`,
  );
  return new Set(rows.map(({ id }) => id));
}
