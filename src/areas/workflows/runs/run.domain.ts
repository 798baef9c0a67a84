import { findAccountSession } from '../../../access/account-session.ts';
import type { Deps } from '../../../core/context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { WorkflowRow, WorkflowRunRow } from '../../../db/tables/workflows.ts';
import { getCapabilities } from '../../../inference/capabilities.ts';
import { notify } from '../../notifications/index.ts';
import { disableKeyWorkflow } from '../store.ts';
import { readAuthority } from './authority.ts';
import type { TaskName } from '../../../inference/types.ts';
import { toEnding, toPause } from './create.domain.ts';
import type { ActionCtx } from '../methods/define.ts';
import { setEventDepth } from '../../workflow-events/index.ts';
import { recordChanges } from '../undo/record.domain.ts';
import type { Facts } from './facts.ts';
import * as store from './run.store.ts';
import { StepError } from './step-error.ts';
import { type ActionStep, compileWorkflow, passFilters, type RunnableStep } from './steps.ts';
import { readSubjects } from './subjects.ts';

type Ending = Pick<store.NewRun, 'result' | 'lastStep' | 'lastMethod' | 'error'>;
type Pause = { readonly nextStep: number; readonly waitsFor: TaskName };
type Outcome = Ending | Pause | 'unseen';

const MAX_ERROR_LENGTH = 2_000;

/**
 * Runs an attempt from where it stands to its end, or to a step that must wait, in one transaction: a
 * crash leaves it where it was, and no action happens twice. What the steps before a failed one did
 * stays. Throws a StepError, unless it is told to end the run with the error.
 */
export async function advanceRun(
  deps: Deps,
  id: string,
  { endsWithError }: { readonly endsWithError: boolean },
): Promise<void> {
  const failure = await inTransaction(deps, async (deps) => {
    const found = await store.lockRun(deps.db, id);
    if (!found) return undefined;
    return recordChanges(deps.db, found.run, () => tryRun(deps, found, endsWithError));
  });
  if (failure) throw failure;
}

/** Returns the error of a run that is to be tried again. */
async function tryRun(
  deps: Deps,
  found: store.RunOfWorkflow,
  endsWithError: boolean,
): Promise<StepError | undefined> {
  const { run, workflow } = found;
  try {
    await saveOutcome(deps, found, await runSteps(deps, run, workflow));
    return undefined;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    if (!endsWithError) {
      await store.updateRun(deps.db, run.id, { nextStep: error.step?.index ?? 0 });
      return error;
    }
    await saveOutcome(deps, found, toFailure(error));
    return undefined;
  }
}

const toFailure = ({ step, message }: StepError): Ending => ({
  result: 'error',
  lastStep: step?.index ?? null,
  lastMethod: step?.method ?? null,
  error: message.slice(0, MAX_ERROR_LENGTH),
});

async function saveOutcome(
  { db, now }: Deps,
  { run, workflow }: store.RunOfWorkflow,
  outcome: Outcome,
): Promise<void> {
  // Nothing tells about an asset that its owner does not see.
  if (outcome === 'unseen') return store.deleteRun(db, run.id);
  if ('waitsFor' in outcome) return store.updateRun(db, run.id, outcome);
  await store.updateRun(db, run.id, {
    ...outcome,
    waitsFor: null,
    isLogged: workflow.isLogging,
    finishedAt: now(),
  });
}

async function runSteps(deps: Deps, run: WorkflowRunRow, workflow: WorkflowRow): Promise<Outcome> {
  if (!workflow.isEnabled) return { result: 'halted' };
  const account = await findAccountSession(deps.db, workflow.ownerId);
  if (!account) return 'unseen';
  const authority = await readAuthority(deps.db, workflow);
  if ('refusal' in authority) return stopWorkflow(deps, workflow, authority.refusal);
  const session = { ...account, permissions: authority.permissions };
  await setEventDepth(deps.db, run.depth + 1);
  let steps = compileOrThrow(workflow).filter((step) => step.index >= run.nextStep);
  let outcome: Outcome = 'unseen';
  for (;;) {
    const subject = (await readSubjects(deps, session, [run.assetId], steps)).get(run.assetId);
    // An action may have locked it: what follows does not see it any more.
    if (!subject) return outcome;
    const { facts, done } = subject;
    const stop = passFilters(steps, facts, done);
    if (stop.kind === 'waits') {
      if (!getCapabilities(deps.settings)[stop.task]) throw noModels(stop.step);
      return toPause(stop);
    }
    if (stop.kind !== 'acts') return toEnding(stop);
    const place = { workflow, runId: run.runId, stepIndex: stop.step.index };
    await applyAction({ ...deps, ...place, session }, stop.step, facts);
    steps = steps.filter((step) => step.index > stop.step.index);
    outcome = { result: 'completed' };
  }
}

/** Switches the workflow off and tells its owner why: its next runs would fail in the same way. */
async function stopWorkflow(
  { db, log, now }: Deps,
  workflow: WorkflowRow,
  error: string,
): Promise<Ending> {
  log.warn('workflow switched off', { workflowId: workflow.id, error });
  if (await disableKeyWorkflow(db, workflow)) {
    const event = {
      userId: workflow.ownerId,
      kind: 'workflow',
      title: `The workflow ${workflow.name ?? ''} was switched off`.replace('  ', ' '),
      description: error,
      data: { workflowId: workflow.id, workflowName: workflow.name, isSwitchedOff: true },
      key: `workflow-stopped ${workflow.id}`,
    } as const;
    await notify(db, event, now());
  }
  return { result: 'error', lastStep: null, lastMethod: null, error };
}

const noModels = (step: NonNullable<StepError['step']>) =>
  new StepError(step, new Error('The models that this step needs are not installed'));

function compileOrThrow(workflow: WorkflowRow): readonly RunnableStep[] {
  try {
    return compileWorkflow(workflow);
  } catch (error) {
    throw new StepError(undefined, error);
  }
}

/** Undoes what the action did before it failed, and only that. */
async function applyAction(ctx: ActionCtx, step: ActionStep, facts: Facts): Promise<void> {
  try {
    await inTransaction(ctx, (ctx) => step.action.apply(ctx, facts, step.config));
  } catch (error) {
    throw new StepError(step, error);
  }
}
