import { type Permission, requirePermissions } from '../../access/permissions.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { AppError, invalidField } from '../../core/errors.ts';
import { getLimit } from '../../db/limits/limits.ts';
import type { WorkflowStep } from '../../db/tables/workflows.ts';
import { findMethod } from './methods/catalogue.ts';
import { findConfigFault, type Method } from './methods/define.ts';
import { countExpressions } from './methods/expressions.ts';
import { requireKnownIds } from './methods/references.ts';
import { compileSteps, listSentences } from './runs/steps.ts';

/** Fills in what a request may leave out. */
export const toStep = (step: {
  readonly method: string;
  readonly config: Record<string, unknown> | null;
  readonly enabled?: boolean;
}): WorkflowStep => ({
  method: step.method,
  config: step.config,
  enabled: step.enabled ?? true,
});

/** Sentences that one workflow may compare with pictures: each is read by a model. */
const MAX_SENTENCES = 20;

/**
 * Throws 400 for the first step whose method is unknown or whose configuration is invalid, and for too many
 * sentences and regular expressions.
 */
export function requireValidSteps(steps: readonly WorkflowStep[]): void {
  const { count } = getLimit('workflowExpression');
  // Before they are compiled, which takes memory.
  if (countExpressions(steps) > count) {
    throw invalidField('steps', `At most ${count} regular expressions`);
  }
  for (const [index, step] of steps.entries()) {
    const method = findMethod(step.method);
    if (!method) throw invalidField(`steps.${index}.method`, `Unknown method ${step.method}`);
    const fault = findFault(method, step);
    if (fault) throw invalidConfig(index, fault);
  }
  if (listSentences(compileSteps(steps)).size > MAX_SENTENCES) {
    throw invalidField('steps', `At most ${MAX_SENTENCES} different sentences`);
  }
}

/**
 * Throws 403 for a permission that the steps need and the caller does not have, 400 for the first step that
 * is about what the account may not reach.
 */
export async function requireAccess(ctx: Ctx, steps: readonly WorkflowStep[]): Promise<void> {
  requirePermissions(requireUser(ctx.session), listPermissions(steps));
  for (const [index, { method, config }] of steps.entries()) {
    const found = findMethod(method);
    if (!found) continue;
    const given = config ?? {};
    try {
      await requireKnownIds(ctx, found, given);
      if (found.kind === 'action') await found.checkAccess?.(ctx, given as never);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw invalidConfig(index, describe(error));
    }
  }
}

/** Returns the permissions of all that the steps read and do, also of those that are switched off. */
export const listPermissions = (steps: readonly WorkflowStep[]): Permission[] => [
  ...new Set(steps.flatMap(listStepPermissions)),
];

function listStepPermissions({ method, config }: WorkflowStep): readonly Permission[] {
  const found = findMethod(method);
  if (found?.kind !== 'action') return ['asset.read'];
  return ['asset.read', ...found.getPermissions((config ?? {}) as never)];
}

type Fault = { readonly path: string; readonly message: string };

const invalidConfig = (index: number, { path, message }: Fault) =>
  invalidField(['steps', index, 'config', path].filter((name) => name !== '').join('.'), message);

/** Returns whether every step names a method that exists and accepts its configuration. */
export const canRun = (steps: readonly WorkflowStep[]): boolean =>
  steps.every((step) => {
    const method = findMethod(step.method);
    return method !== undefined && findFault(method, step) === undefined;
  });

function findFault(method: Method, { config }: WorkflowStep) {
  const given = (config ?? {}) as never;
  const fault = findConfigFault(method.config, given);
  if (fault) return fault;
  try {
    if (method.kind === 'filter') method.compile(given);
    else method.check?.(given);
    return undefined;
  } catch (error) {
    return describe(error);
  }
}

/** Returns the path and the message of an error that names a field. */
function describe(error: unknown): Fault {
  const detail = error instanceof AppError ? error.detail : {};
  const [first] = (detail['errors'] ?? []) as {
    readonly path: string[];
    readonly message: string;
  }[];
  return { path: first?.path.join('.') ?? '', message: first?.message ?? (error as Error).message };
}
