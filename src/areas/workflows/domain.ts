import { requireUser } from '../../access/scope.ts';
import { type Permission, requirePermissions } from '../../access/permissions.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, noAccess } from '../../core/errors.ts';
import { keepLimits } from '../../db/limits/keep-limit.ts';
import {
  WORKFLOW_TRIGGERS,
  type WorkflowRow,
  type WorkflowStep,
} from '../../db/tables/workflows.ts';
import { listPermissions, requireAccess, requireValidSteps, toStep } from './definition.ts';
import type {
  Workflow,
  WorkflowCreate,
  WorkflowSearch,
  WorkflowShare,
  WorkflowUpdate,
} from './schemas.ts';
import * as store from './store.ts';
import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import { findMethod } from './methods/catalogue.ts';

/** Every trigger concerns an asset. */
export const listTriggers = () =>
  WORKFLOW_TRIGGERS.map((trigger) => ({ trigger, types: ['AssetV1' as const] }));

export async function listWorkflows(ctx: Ctx, search: WorkflowSearch): Promise<Workflow[]> {
  const { userId } = requireUser(ctx.session);
  return (await store.listWorkflows(ctx.db, userId, search)).map(toWorkflow);
}

export const getWorkflow = async (ctx: Ctx, id: string): Promise<Workflow> =>
  toWorkflow(await findOwnWorkflow(ctx, id, 'workflow.read'));

export async function createWorkflow(ctx: Ctx, input: WorkflowCreate): Promise<Workflow> {
  const { userId, apiKeyId = null } = requireUser(ctx.session);
  const steps = (input.steps ?? []).map(toStep);
  requireValidSteps(steps);
  await requireAccess(ctx, steps);
  const row = await keepWorkflowLimits(ctx, userId, ({ db }) =>
    store.insertWorkflow(db, {
      ownerId: userId,
      trigger: input.trigger,
      name: input.name ?? null,
      description: input.description ?? null,
      steps,
      apiKeyId,
      isEnabled: input.enabled ?? true,
      isLogging: input.logging ?? false,
    }),
  );
  return toWorkflow(row);
}

const keepWorkflowLimits = <T>(ctx: Ctx, ownerId: string, work: (ctx: Ctx) => Promise<T>) =>
  keepLimits(ctx, ['workflow', 'workflowExpression'], { ownerId }, work);

export async function updateWorkflow(
  ctx: Ctx,
  id: string,
  change: WorkflowUpdate,
): Promise<Workflow> {
  const { userId, apiKeyId = null } = requireUser(ctx.session);
  if (Object.keys(change).length === 0) throw badRequest('No fields to update');
  const steps = change.steps?.map(toStep);
  if (steps) {
    requireValidSteps(steps);
    await requireAccess(ctx, steps);
  }
  const columns = {
    ...(change.trigger && { trigger: change.trigger }),
    ...(change.name !== undefined && { name: change.name }),
    ...(change.description !== undefined && { description: change.description }),
    ...(steps && { steps }),
    ...(isDecisive(change) && { apiKeyId }),
    ...(change.enabled !== undefined && { isEnabled: change.enabled }),
    ...(change.logging !== undefined && { isLogging: change.logging }),
    updatedAt: ctx.now(),
  };
  const row = await keepWorkflowLimits(ctx, userId, async ({ db }) => {
    const updated = await store.updateWorkflow(db, userId, id, columns);
    if (updated && isDecisive(change)) requireStepPermissions(ctx, updated);
    return updated;
  });
  if (!row) throw noAccess('workflow.update');
  return toWorkflow(row);
}

/** Returns whether the caller answers for the workflow from now on: for what it does, or that it does. */
const isDecisive = ({ steps, trigger, enabled }: WorkflowUpdate): boolean =>
  steps !== undefined || trigger !== undefined || enabled === true;

/** Throws 403 unless the caller may do everything that the workflow does. */
export const requireStepPermissions = (ctx: Ctx, { steps }: Pick<WorkflowRow, 'steps'>): void =>
  requirePermissions(requireUser(ctx.session), listPermissions(steps));

/** Deletes a workflow with its log; runs that have not ended do nothing more. */
export async function deleteWorkflow(ctx: Ctx, id: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  if (!(await store.deleteWorkflow(ctx.db, userId, id))) throw noAccess('workflow.delete');
}

/** Returns a workflow to be created elsewhere: without ids, and without values that are the default. */
export async function shareWorkflow(ctx: Ctx, id: string): Promise<WorkflowShare> {
  const { trigger, name, description, steps } = await findOwnWorkflow(ctx, id, 'workflow.read');
  return {
    trigger,
    name,
    description,
    steps: steps.map((step) => ({
      method: step.method,
      config: removeDefaults(step),
      ...(!step.enabled && { enabled: false }),
    })),
  };
}

/** Throws 400 for a workflow that the caller does not have. */
export async function findOwnWorkflow(
  ctx: Ctx,
  id: string,
  permission: Permission,
): Promise<WorkflowRow> {
  const row = await store.findWorkflow(ctx.db, requireUser(ctx.session).userId, id);
  if (!row) throw noAccess(permission);
  return row;
}

const toWorkflow = (row: WorkflowRow): Workflow => ({
  id: row.id,
  trigger: row.trigger,
  name: row.name,
  description: row.description,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  enabled: row.isEnabled,
  logging: row.isLogging,
  steps: row.steps.map((step) => ({ ...step, config: step.config && { ...step.config } })),
});

type Schema = TSchema & {
  readonly default?: unknown;
  readonly format?: string;
  readonly items?: { readonly format?: string };
};

/** Lists of ids mean nothing to another library. */
const isIdList = ({ items }: Schema): boolean => items?.format === 'uuid';
/** Addresses of webhooks contain keys. */
const isAddress = ({ format }: Schema): boolean => format === 'uri';

type Step = Pick<WorkflowStep, 'method' | 'config'>;
/** True for the filters of a group. */
const areSteps = (value: unknown): value is readonly Step[] =>
  Array.isArray(value) &&
  value.every((item) => typeof (item as Partial<Step>)?.method === 'string');

/** Returns the configuration of a step without ids and without values that are the default. */
function removeDefaults({ method, config }: Step): Record<string, unknown> | null {
  if (!config) return null;
  const properties = (findMethod(method)?.config.properties ?? {}) as Record<string, Schema>;
  return Object.fromEntries(
    Object.entries(config).flatMap(([name, value]): [string, unknown][] => {
      const schema = properties[name];
      if (!schema) return [[name, value]];
      if (isIdList(schema)) return [[name, []]];
      if (isAddress(schema)) return [[name, '']];
      if (areSteps(value)) {
        return [[name, value.map((step) => ({ ...step, config: removeDefaults(step) ?? {} }))]];
      }
      return isDeepStrictEqual(schema.default, value) ? [] : [[name, value]];
    }),
  );
}
