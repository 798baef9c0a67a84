import { randomUUIDv7 } from 'bun';
import { findAccountSession } from '../../../access/account-session.ts';
import type { Deps } from '../../../core/context.ts';
import { requireValue } from '../../../core/required.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { WorkflowRow } from '../../../db/tables/workflows.ts';
import { getCapabilities } from '../../../inference/capabilities.ts';
import { readAuthorities } from './authority.ts';
import {
  deleteEvent,
  lockOldestEvent,
  moveEvent,
  type WorkflowEvent,
} from '../../workflow-events/index.ts';
import * as store from './run.store.ts';
import { compileWorkflow, passFilters, type Stop } from './steps.ts';
import { readSubjects, type Subject } from './subjects.ts';

// Most workflows do nothing for most assets. Their filters before the first action are evaluated together,
// on facts that are read once; a run of its own begins where there is something to do.

/** Workflows that start each other end here. */
const MAX_DEPTH = 3;

/**
 * Goes on with what happens to an asset, in its order, until a workflow has something to do: returns that
 * run. First with the runs that have not ended, after the one named, then with events.
 */
export const findNextRun = (
  deps: Deps,
  assetId: string,
  afterId: string | undefined,
): Promise<string | undefined> =>
  inTransaction(deps, async (deps) => {
    const isUnfinished = await store.hasUnfinished(deps.db, assetId, afterId);
    const next = isUnfinished ? await settleRuns(deps, assetId, afterId) : undefined;
    return next ?? createNextRun(deps, assetId);
  });

async function createNextRun(deps: Deps, assetId: string): Promise<string | undefined> {
  for (;;) {
    const event = await lockOldestEvent(deps.db, assetId);
    if (!event) return undefined;
    const workflows = await store.listEnabled(deps.db, event);
    const next =
      event.depth >= MAX_DEPTH
        ? await stopRuns(deps, assetId, event, workflows)
        : await insertRuns(deps, assetId, event, workflows);
    if (next) {
      await moveEvent(deps.db, event.id, next.workflowId);
      return next.id;
    }
    await deleteEvent(deps.db, event.id);
    if (event.isLast) return undefined;
  }
}

/** Inserts what is recorded of the workflows up to the first that has something to do; returns that run. */
async function insertRuns(
  deps: Deps,
  assetId: string,
  event: WorkflowEvent,
  workflows: readonly WorkflowRow[],
): Promise<store.NewRun | undefined> {
  const stops = await createEvaluator(deps, event.ownerId, assetId, workflows);
  if (!stops) return undefined;
  const runs: store.NewRun[] = [];
  let acting: store.NewRun | undefined;
  for (const workflow of workflows) {
    const run = toRun(workflow, assetId, event.depth, deps.now());
    const stop = stops(workflow, 0);
    if (stop.kind === 'acts') {
      runs.push((acting = run));
      break;
    }
    if (stop.kind === 'waits') runs.push({ ...run, ...toPause(stop) });
    else if (run.isLogged) runs.push({ ...run, ...toEnding(stop), finishedAt: deps.now() });
  }
  await store.insertRuns(deps.db, runs);
  return acting;
}

/** Says in the log that the workflows did not run. */
async function stopRuns(
  deps: Deps,
  assetId: string,
  event: WorkflowEvent,
  workflows: readonly WorkflowRow[],
): Promise<undefined> {
  if (workflows.length === 0) return;
  const { ownerId, trigger } = event;
  deps.log.warn('stopped workflows that start each other', { ownerId, trigger });
  const stopped = {
    result: 'halted' as const,
    error: `Stopped: ${MAX_DEPTH} workflows in a row have started each other`,
    finishedAt: deps.now(),
  };
  const runs = workflows.map((workflow) => toRun(workflow, assetId, event.depth, deps.now()));
  await store.insertRuns(
    deps.db,
    runs.filter((run) => run.isLogged).map((run) => ({ ...run, ...stopped })),
  );
}

/** Returns the first attempt of a new run. */
export function toRun(
  { id: workflowId, isLogging }: WorkflowRow,
  assetId: string,
  depth: number,
  createdAt: Date,
): store.NewRun & { readonly id: string } {
  const id = randomUUIDv7();
  return {
    id,
    runId: id,
    attempt: 1,
    workflowId,
    assetId,
    depth,
    isLogged: isLogging,
    createdAt,
  };
}

/** Runs that stand at filters end or wait together. Returns the first that has something to do. */
async function settleRuns(
  deps: Deps,
  assetId: string,
  afterId: string | undefined,
): Promise<string | undefined> {
  const found = await store.lockUnfinished(deps.db, assetId, afterId);
  const ownerId = found[0]?.workflow.ownerId;
  if (!ownerId) return undefined;
  const workflows = found.map(({ workflow }) => workflow);
  const stops = await createEvaluator(deps, ownerId, assetId, workflows);
  for (const { run, workflow } of found) {
    // A run that nobody may see, or whose workflow was disabled, ends there.
    if (!stops || !workflow.isEnabled) return run.id;
    const stop = stops(workflow, run.nextStep);
    if (stop.kind === 'acts') return run.id;
    if (stop.kind === 'waits') await store.updateRun(deps.db, run.id, toPause(stop));
    else if (!workflow.isLogging) await store.deleteRun(deps.db, run.id);
    else {
      const ending = { waitsFor: null, isLogged: true, finishedAt: deps.now() };
      await store.updateRun(deps.db, run.id, { ...toEnding(stop), ...ending });
    }
  }
  return undefined;
}

type Waits = Extract<Stop, { kind: 'waits' }>;
type Ends = Extract<Stop, { kind: 'halts' | 'passes' }>;

export const toPause = ({ step, task }: Waits) => ({ nextStep: step.index, waitsFor: task });

export const toEnding = (stop: Ends) =>
  stop.kind === 'passes'
    ? ({ result: 'completed' } as const)
    : ({ result: 'halted', lastStep: stop.step.index, lastMethod: stop.step.method } as const);

type Evaluator = (workflow: WorkflowRow, fromStep: number) => Stop | { readonly kind: 'acts' };

/**
 * Returns how far workflows get with an asset before they act; undefined when the owner does not see it. A
 * workflow that cannot go on any more acts: its run ends with the error.
 */
async function createEvaluator(
  deps: Deps,
  ownerId: string,
  assetId: string,
  workflows: readonly WorkflowRow[],
): Promise<Evaluator | undefined> {
  const session = await findAccountSession(deps.db, ownerId);
  if (!session) return undefined;
  const authorities = await readAuthorities(deps.db, workflows);
  const compiled = new Map(
    workflows.map((workflow) => {
      const authority = requireValue(authorities.get(workflow.id), 'authority of a workflow');
      const isRefused = 'refusal' in authority;
      return [workflow.id, isRefused ? undefined : tryCompile(workflow)];
    }),
  );
  const steps = [...compiled.values()].flatMap((one) => one ?? []);
  const subject = (await readSubjects(deps, session, [assetId], steps)).get(assetId);
  if (!subject) return undefined;
  return (workflow, fromStep) => evaluate(deps, compiled.get(workflow.id), fromStep, subject);
}

function evaluate(
  { settings }: Pick<Deps, 'settings'>,
  steps: ReturnType<typeof tryCompile>,
  fromStep: number,
  { facts, done }: Subject,
): ReturnType<Evaluator> {
  if (!steps) return { kind: 'acts' };
  const rest = steps.filter((step) => step.index >= fromStep);
  try {
    const stop = passFilters(rest, facts, done);
    return stop.kind === 'waits' && !getCapabilities(settings)[stop.task] ? { kind: 'acts' } : stop;
  } catch {
    return { kind: 'acts' };
  }
}

function tryCompile(workflow: WorkflowRow) {
  try {
    return compileWorkflow(workflow);
  } catch {
    return undefined;
  }
}
