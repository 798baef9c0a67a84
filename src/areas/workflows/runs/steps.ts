import type { WorkflowRow, WorkflowStep } from '../../../db/tables/workflows.ts';
import type { TaskName } from '../../../inference/types.ts';
import { findMethod } from '../methods/catalogue.ts';
import { countExpressions } from '../methods/expressions.ts';
import type { Action, Needs, Predicate } from '../methods/define.ts';
import type { FactGroup, Facts } from './facts.ts';
import { StepError } from './step-error.ts';

type Named = { readonly index: number; readonly method: string; readonly needs: Needs };
type FilterStep = Named & { readonly matches: Predicate };
export type ActionStep = Named & { readonly action: Action; readonly config: never };
export type RunnableStep = FilterStep | ActionStep;

/**
 * Returns the enabled steps with their methods. Throws for a method that is gone or a configuration that
 * it no longer accepts.
 */
export function compileSteps(steps: readonly WorkflowStep[]): RunnableStep[] {
  return steps.flatMap((step, index): RunnableStep[] => {
    if (!step.enabled) return [];
    const method = findMethod(step.method);
    if (!method) throw new Error(`The method ${step.method} does not exist`);
    const config = (step.config ?? {}) as never;
    const named = { index, method: step.method };
    return method.kind === 'filter'
      ? [{ ...named, needs: method.getNeeds(config), matches: method.compile(config) }]
      : [{ ...named, needs: method.needs, action: method, config }];
  });
}

const MAX_REMEMBERED = 500;
/** Regular expressions of all remembered workflows together: each takes about 30 kB. */
const MAX_EXPRESSIONS = 500;

type Compiled = {
  readonly steps: readonly RunnableStep[];
  readonly updatedAt: number;
  readonly expressions: number;
};

/** By id; the one that was used last is the last. */
const remembered = new Map<string, Compiled>();
let expressions = 0;

/** The same for a stored workflow, remembered until it is changed or others are used instead. */
export function compileWorkflow({ id, updatedAt, steps }: WorkflowRow): readonly RunnableStep[] {
  const known = remembered.get(id);
  forget(id);
  const compiled =
    known?.updatedAt === updatedAt.getTime()
      ? known
      : {
          steps: compileSteps(steps),
          updatedAt: updatedAt.getTime(),
          expressions: countExpressions(steps),
        };
  remembered.set(id, compiled);
  expressions += compiled.expressions;
  for (const other of remembered.keys()) {
    if (remembered.size <= MAX_REMEMBERED && expressions <= MAX_EXPRESSIONS) break;
    forget(other);
  }
  return compiled.steps;
}

function forget(id: string): void {
  expressions -= remembered.get(id)?.expressions ?? 0;
  remembered.delete(id);
}

/** Returns the groups of facts that the steps read. */
export const listFactGroups = (steps: readonly RunnableStep[]): Set<FactGroup> =>
  new Set(steps.flatMap(({ needs }) => needs.groups));

/** Returns the recognition without which the steps cannot tell. */
export const listTasks = (steps: readonly RunnableStep[]): Set<TaskName> =>
  new Set(steps.flatMap(({ needs }) => needs.tasks));

/** Returns the sentences that the steps compare with pictures. */
export const listSentences = (steps: readonly RunnableStep[]): Set<string> =>
  new Set(steps.flatMap(({ needs }) => needs.sentences));

/** The place that an asset reaches in steps: past all, or a step. */
export type Stop =
  | { readonly kind: 'passes' }
  | { readonly kind: 'acts'; readonly step: ActionStep }
  | { readonly kind: 'halts'; readonly step: FilterStep }
  | { readonly kind: 'waits'; readonly step: RunnableStep; readonly task: TaskName };

/**
 * Goes through the filters before the next action. `done` is the recognition that the asset has. Throws a
 * StepError for a filter that cannot tell.
 */
export function passFilters(
  steps: readonly RunnableStep[],
  facts: Facts,
  done: ReadonlySet<string>,
): Stop {
  for (const step of steps) {
    const task = step.needs.tasks.find((one) => !done.has(one));
    if (task) return { kind: 'waits', step, task };
    if ('action' in step) return { kind: 'acts', step };
    if (!tryMatch(step, facts)) return { kind: 'halts', step };
  }
  return { kind: 'passes' };
}

function tryMatch(step: FilterStep, facts: Facts): boolean {
  try {
    return step.matches(facts);
  } catch (error) {
    throw new StepError(step, error);
  }
}
