import { and, desc, eq, isNotNull, lt } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { type WorkflowRunRow, workflowRuns } from '../../../db/tables/workflows.ts';
import type { WorkflowLogsFilter } from '../schemas.ts';

/** Returns the logged attempts of the runs of a workflow, newest first. */
export const listEntries = (
  db: Db,
  workflowId: string,
  { before, result, limit }: WorkflowLogsFilter,
): Promise<WorkflowRunRow[]> =>
  db
    .select()
    .from(workflowRuns)
    .where(
      and(
        eq(workflowRuns.workflowId, workflowId),
        isNotNull(workflowRuns.result),
        eq(workflowRuns.isLogged, true),
        result ? eq(workflowRuns.result, result) : undefined,
        before ? lt(workflowRuns.finishedAt, new Date(before)) : undefined,
      ),
    )
    .orderBy(desc(workflowRuns.finishedAt), desc(workflowRuns.id))
    .limit(limit);
