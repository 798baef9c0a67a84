import { and, desc, eq, isNotNull, lt, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { type WorkflowRunRow, workflowRuns } from '../../../db/tables/workflows.ts';
import type { WorkflowLogsFilter } from '../schemas.ts';

/**
 * Returns the logged attempts of the runs of a workflow, newest first. A page goes on to the end of its
 * last millisecond, because the next one is asked for by that time.
 */
export const listEntries = (
  db: Db,
  workflowId: string,
  { before, result, limit }: WorkflowLogsFilter,
): Promise<WorkflowRunRow[]> => {
  const matching = and(
    eq(workflowRuns.workflowId, workflowId),
    isNotNull(workflowRuns.result),
    eq(workflowRuns.isLogged, true),
    result ? eq(workflowRuns.result, result) : undefined,
    before ? lt(workflowRuns.finishedAt, new Date(before)) : undefined,
  );
  const page = sql`(
    select ${workflowRuns.id} from ${workflowRuns} where ${matching}
    order by ${workflowRuns.finishedAt} desc fetch first ${limit} rows with ties)`;
  return db
    .select()
    .from(workflowRuns)
    .where(sql`${workflowRuns.id} in ${page}`)
    .orderBy(desc(workflowRuns.finishedAt), desc(workflowRuns.id));
};
