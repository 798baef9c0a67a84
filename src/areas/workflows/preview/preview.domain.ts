import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { requireValidSteps, toStep } from '../definition.ts';
import { readDoneTasks, readFacts } from '../runs/facts.store.ts';
import { compileSteps, listFactGroups, listTasks, passFilters } from '../runs/steps.ts';
import type { WorkflowPreview, WorkflowPreviewInput } from './preview.schemas.ts';
import * as store from './preview.store.ts';

/** Items that are looked at. */
const MAX_ITEMS = 1_000;
/** Items that are listed. */
const MAX_LISTED = 50;

/**
 * Tells which of the newest items a workflow would have done something with: those that all its filters
 * let pass as they are now, without its actions.
 */
export async function previewWorkflow(
  { db, session }: Ctx,
  input: WorkflowPreviewInput,
): Promise<WorkflowPreview> {
  const user = requireUser(session);
  const steps = (input.steps ?? []).map(toStep);
  requireValidSteps(steps);
  const filters = compileSteps(steps).flatMap((step) => ('matches' in step ? [step] : []));
  const ids = await store.listNewest(db, user, MAX_ITEMS);
  const facts = await readFacts(db, user, ids, listFactGroups(filters));
  const done = await readDoneTasks(db, ids, listTasks(filters));
  const kinds = Map.groupBy(
    facts.values(),
    (known) => passFilters(filters, known, done.get(known.id) ?? new Set()).kind,
  );
  const matched = new Set(kinds.get('passes')?.map(({ id }) => id));
  return {
    total: ids.length,
    matched: matched.size,
    waiting: kinds.get('waits')?.length ?? 0,
    assetIds: ids.filter((id) => matched.has(id)).slice(0, MAX_LISTED),
  };
}
