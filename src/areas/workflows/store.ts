import { and, desc, eq, type SQL } from 'drizzle-orm';
import { requireValue } from '../../core/required.ts';
import type { Db } from '../../db/client.ts';
import { type WorkflowRow, workflows } from '../../db/tables/workflows.ts';
import type { WorkflowSearch } from './schemas.ts';
import { getRow } from '../../db/query.ts';

type NewWorkflow = typeof workflows.$inferInsert;

const isOwn = (ownerId: string, id: string): SQL | undefined =>
  and(eq(workflows.ownerId, ownerId), eq(workflows.id, id));

/** Returns the matching workflows of an account, newest first. */
export const listWorkflows = (
  db: Db,
  ownerId: string,
  { id, trigger, name, description, enabled, logging }: WorkflowSearch,
): Promise<WorkflowRow[]> =>
  db
    .select()
    .from(workflows)
    .where(
      and(
        eq(workflows.ownerId, ownerId),
        id ? eq(workflows.id, id) : undefined,
        trigger ? eq(workflows.trigger, trigger) : undefined,
        name === undefined ? undefined : eq(workflows.name, name),
        description === undefined ? undefined : eq(workflows.description, description),
        enabled === undefined ? undefined : eq(workflows.isEnabled, enabled),
        logging === undefined ? undefined : eq(workflows.isLogging, logging),
      ),
    )
    .orderBy(desc(workflows.createdAt), desc(workflows.id));

export async function findWorkflow(
  db: Db,
  ownerId: string,
  id: string,
): Promise<WorkflowRow | undefined> {
  const [row] = await db.select().from(workflows).where(isOwn(ownerId, id));
  return row;
}

export async function insertWorkflow(db: Db, workflow: NewWorkflow): Promise<WorkflowRow> {
  const row = getRow(await db.insert(workflows).values(workflow).returning());
  return row;
}

export async function updateWorkflow(
  db: Db,
  ownerId: string,
  id: string,
  change: Partial<NewWorkflow>,
): Promise<WorkflowRow | undefined> {
  const [row] = await db.update(workflows).set(change).where(isOwn(ownerId, id)).returning();
  return row;
}

/** Switches off the workflow of a key. Returns false when it was off, or somebody else answers for it now. */
export async function disableKeyWorkflow(
  db: Db,
  { id, apiKeyId }: Pick<WorkflowRow, 'id' | 'apiKeyId'>,
): Promise<boolean> {
  const isOfKey = and(
    eq(workflows.id, id),
    eq(workflows.apiKeyId, requireValue(apiKeyId, 'key of a workflow')),
  );
  const rows = await db
    .update(workflows)
    .set({ isEnabled: false })
    .where(and(isOfKey, workflows.isEnabled))
    .returning({ id: workflows.id });
  return rows.length > 0;
}

/** Returns false when the account has no such workflow. */
export async function deleteWorkflow(db: Db, ownerId: string, id: string): Promise<boolean> {
  const rows = await db.delete(workflows).where(isOwn(ownerId, id)).returning({ id: workflows.id });
  return rows.length > 0;
}
