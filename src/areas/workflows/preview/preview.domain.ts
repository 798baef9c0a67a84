import { requireUser } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest } from '../../../core/errors.ts';
import { requireValidSteps, toStep } from '../definition.ts';
import { StepError } from '../runs/step-error.ts';
import { compileSteps, passFilters, type RunnableStep } from '../runs/steps.ts';
import { readSubjects, type Subject } from '../runs/subjects.ts';
import {
  DEFAULT_ITEMS,
  type WorkflowPreview,
  type WorkflowPreviewInput,
} from './preview.schemas.ts';
import * as store from './preview.store.ts';

/** Items that are read at a time. */
const PAGE_SIZE = 1_000;
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
  const user = requireUser(ctx.session);
  const steps = (input.steps ?? []).map(toStep);
  requireValidSteps(steps);
  const runnable = compileSteps(steps);
  const counts = { total: 0, matched: 0, affected: 0, waiting: 0, assetIds: [] as string[] };
  for await (const page of listPages(ctx, user, input.items ?? DEFAULT_ITEMS)) {
    if (page === 'more') return { ...counts, ...describeSteps(runnable), isComplete: false };
    const found = await evaluatePage(ctx, user, page, runnable);
    counts.total += page.length;
    counts.matched += found.matched.length;
    counts.affected += found.affected;
    counts.waiting += found.waiting;
    counts.assetIds = [...counts.assetIds, ...found.matched].slice(0, MAX_LISTED);
  }
  return { ...counts, ...describeSteps(runnable), isComplete: true };
}

const describeSteps = (steps: readonly RunnableStep[]) => ({
  irreversibleSteps: steps.flatMap((step) =>
    'action' in step && !step.action.isUndoable(step.config) ? [step.index] : [],
  ),
});

/** Yields the ids of the newest items page by page; then 'more' if the library has others. */
async function* listPages({ db }: Ctx, user: UserSession, items: number) {
  let after: store.Place | undefined;
  for (let left = items; ; left -= PAGE_SIZE) {
    const size = Math.min(left, PAGE_SIZE);
    const places = await store.listNewest(db, user, size + 1, after);
    const page = places.slice(0, size);
    if (page.length > 0) yield page.map(({ id }) => id);
    if (places.length <= size) return;
    if (left <= PAGE_SIZE) {
      yield 'more' as const;
      return;
    }
    after = page.at(-1);
  }
}

async function evaluatePage(
  ctx: Ctx,
  user: UserSession,
  ids: readonly string[],
  steps: readonly RunnableStep[],
) {
  const filters = steps.filter((step) => 'matches' in step);
  const subjects = await readSubjects(ctx, user, ids, steps);
  const kinds = Map.groupBy(subjects.values(), (subject) => evaluate(filters, subject));
  const matched = new Set(kinds.get('passes')?.map(({ facts }) => facts.id));
  return {
    matched: ids.filter((id) => matched.has(id)),
    affected: subjects
      .values()
      .reduce((sum, subject) => sum + Number(evaluate(steps, subject) === 'acts'), 0),
    waiting: kinds.get('waits')?.length ?? 0,
  };
}

function evaluate(steps: readonly RunnableStep[], { facts, done }: Subject) {
  try {
    return passFilters(steps, facts, done).kind;
  } catch (error) {
    throw error instanceof StepError ? badRequest(error.message) : error;
  }
}
