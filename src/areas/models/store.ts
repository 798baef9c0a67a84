import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import { column } from '../../db/columns.ts';
import type { Db } from '../../db/client.ts';
import { queryRows } from '../../db/query.ts';
import { operations } from '../../db/tables/operations.ts';
import { parse } from '../../operations/store.ts';
import { pullKind, type PullOperation } from './kind.ts';

/** Waits for others who start a download, until the end of the transaction. */
export const lockPulls = (db: Db): Promise<unknown> =>
  queryRows(db, sql`select pg_advisory_xact_lock(hashtext('model_pull'))`);

/** Returns the newest download of any administrator, or of one set that is not over. */
export async function findPull(db: Db, activeSet?: string): Promise<PullOperation | undefined> {
  const isActive =
    activeSet === undefined
      ? undefined
      : and(
          inArray(operations.state, ['queued', 'running']),
          eq(sql`${operations.payload} ->> 'set'`, activeSet),
        );
  const [row] = await db
    .select()
    .from(operations)
    .where(and(eq(operations.kind, pullKind.name), isActive))
    .orderBy(desc(operations.createdAt), desc(operations.id))
    .limit(1);
  return row && parse(pullKind, row);
}

/** Returns the number of photos with a vector, by model. */
export async function countVectors(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await queryRows(
    db,
    { modelId: column.text, count: column.bigint },
    sql`
    select model_id as "modelId", (
      select count(*) from embedding where embedding.model = embedding_model.id
        and embedding.kind = 'asset') as count
    from embedding_model`,
  );
  return new Map(rows.map(({ modelId, count }) => [modelId, Number(count)]));
}
