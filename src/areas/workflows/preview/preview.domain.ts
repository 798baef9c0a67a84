import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest } from '../../../core/errors.ts';
import { requireValidSteps, toStep } from '../definition.ts';
import { StepError } from '../runs/step-error.ts';
import { compileSteps, passFilters, type RunnableStep } from '../runs/steps.ts';
import { readSubjects, type Subject } from '../runs/subjects.ts';
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
  ctx: Ctx,
  input: WorkflowPreviewInput,
): Promise<WorkflowPreview> {
  const { db } = ctx;
  const user = requireUser(ctx.session);
  const steps = (input.steps ?? []).map(toStep);
  requireValidSteps(steps);
  const filters = compileSteps(steps).flatMap((step) => ('matches' in step ? [step] : []));
  const ids = await store.listNewest(db, user, MAX_ITEMS);
  const subjects = await readSubjects(ctx, user, ids, filters);
  const kinds = Map.groupBy(subjects.values(), (subject) => evaluate(filters, subject));
  const matched = new Set(kinds.get('passes')?.map(({ facts }) => facts.id));
  return {
    total: ids.length,
    matched: matched.size,
    waiting: kinds.get('waits')?.length ?? 0,
    assetIds: ids.filter((id) => matched.has(id)).slice(0, MAX_LISTED),
  };
}

function evaluate(filters: readonly RunnableStep[], { facts, done }: Subject) {
  try {
    return passFilters(filters, facts, done).kind;
  } catch (error) {
    throw error instanceof StepError ? badRequest(error.message) : error;
  }
}
