import { sql } from 'drizzle-orm';
import { ownAssets, requireUser } from '../../access/scope.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { getRow, queryPrepared } from '../../db/query.ts';
import { IS_LOG_COMPLETE, LOG_POSITION } from '../../db/change-log.ts';
import { SLOT_HOURS, type TimelineReader } from './store.ts';

/** More are not worth to be looked up one by one. */
const MAX_CHANGES = 1000;

const SLOT_CHANGES_COLUMNS = {
  /** Pass it as `since` the next time. */
  position: column.text,
  /** False: the log does not tell what has changed. */
  isComplete: column.boolean,
  /** Changed assets, wherever they were and are. */
  ids: column.json<readonly string[]>(),
  /** Slots of the month, by their beginnings, that list changed assets and members of changed stacks. */
  slots: column.json<readonly string[]>(),
};

export type SlotChanges = InferRow<typeof SLOT_CHANGES_COLUMNS>;

/** Beginning of the slot of "asset". */
const SLOT = sql.raw(
  `date_bin(interval '${SLOT_HOURS} hours', asset.local_taken_at, timestamp '2000-01-01')`,
);

/**
 * Reads what has changed of the caller's assets since a position. An asset whose stack has changed, and
 * that has not changed itself, is still in the stack: it is found by it.
 */
export async function readChanges(
  { db, session }: TimelineReader,
  month: string,
  since: string | undefined,
): Promise<SlotChanges> {
  const rows = await queryPrepared(
    db,
    SLOT_CHANGES_COLUMNS,
    sql`
    with given as (select ${since ?? null}::text::xid8 as since), touched as materialized (
      select kind = 'stack' as is_stack, subject_id as id from change, given
      where scope_id = ${requireUser(session).userId}::uuid and xid >= since
        and kind in ('asset', 'shown', 'exif', 'stack')
      limit ${MAX_CHANGES + 1}
    )
    select ${LOG_POSITION}::text as position,
      ${IS_LOG_COMPLETE} and (select count(*) <= ${MAX_CHANGES} from touched) as "isComplete",
      (select coalesce(json_agg(id), '[]') from touched where not is_stack) as ids,
      (select coalesce(json_agg(distinct ${SLOT}::text), '[]')
        from ${ownAssets(db, session, 'timeline')}
        where asset.local_month = ${month}::date and (
          asset.id = any(array(select id from touched where not is_stack))
          or asset.stack_id = any(array(select id from touched where is_stack)))) as slots
    from change_log cross join given`,
  );
  return getRow(rows);
}
