import type { WorkflowStep } from '../../../db/tables/workflows.ts';
import { findMethod } from '../methods/catalogue.ts';
import type { Action, Needs, Predicate } from '../methods/define.ts';
import type { FactGroup } from './facts.ts';

export type RunnableStep = { readonly index: number; readonly method: string } & (
  | { readonly needs: Needs; readonly matches: Predicate }
  | { readonly action: Action; readonly config: never }
);

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
      : [{ ...named, action: method, config }];
  });
}

/** Returns the groups of facts that the steps read. */
export const listFactGroups = (steps: readonly RunnableStep[]): Set<FactGroup> =>
  new Set(steps.flatMap((step) => ('needs' in step ? step.needs.groups : [])));
