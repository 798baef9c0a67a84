import { LRUCache } from 'lru-cache';
import { getFirst } from '../../../core/required.ts';
import type { Db } from '../../../db/client.ts';
import type { WorkflowRow, WorkflowTrigger } from '../../../db/tables/workflows.ts';
import { countExpressions } from '../methods/expressions.ts';
import type { Screening } from '../../workflow-events/index.ts';
import { type Authority, readAuthorities } from './authority.ts';
import { readAllFacts } from './facts.store.ts';
import type { FactGroup, Facts } from './facts.ts';
import { listStarted } from './run.store.ts';
import { compileSteps, listFactGroups, passFilters, type RunnableStep } from './steps.ts';

/** The filters before the first action. */
type Filters = readonly RunnableStep[];
type Compiled = {
  /** Undefined where one of the workflows has something to do or to record for every asset. */
  readonly workflows: readonly Filters[] | undefined;
  readonly groups: ReadonlySet<FactGroup>;
  /** Memory that it takes, about, in bytes. */
  readonly size: number;
};

const EXPRESSION_BYTES = 30_000;
/** More of an account are left to the jobs: they would take the time of requests. */
const MAX_SIZE = 600_000;
const MAX_REMEMBERED_SIZE = 6_000_000;

/** By account, trigger and revision. */
const remembered = new LRUCache<string, Compiled>({
  maxSize: MAX_REMEMBERED_SIZE,
  sizeCalculation: ({ size }) => size,
});

/**
 * Returns those of the assets that pass the first filters of a workflow, or may: filters that need
 * recognition are not asked. The other events have no effect, whoever sees the asset.
 */
export const screenEvents: Screening = async (db, trigger, candidates) => {
  const passing: string[] = [];
  for (const own of Map.groupBy(candidates, ({ ownerId }) => ownerId).values()) {
    const assetIds = own.map(({ assetId }) => assetId);
    const { workflows, groups } = await getCompiled(db, trigger, getFirst(own));
    const facts = workflows ? await readAllFacts(db, assetIds, groups) : undefined;
    const wanted = assetIds.filter((id) => !workflows || mayPass(workflows, facts?.get(id)));
    passing.push(...wanted);
  }
  return passing;
};

const mayPass = (workflows: readonly Filters[], facts: Facts | undefined): boolean =>
  !facts || workflows.some((filters) => !isHalted(filters, facts));

function isHalted(filters: Filters, facts: Facts): boolean {
  try {
    return passFilters(filters, facts, new Set()).kind === 'halts';
  } catch {
    return false;
  }
}

async function getCompiled(
  db: Db,
  trigger: WorkflowTrigger,
  { ownerId, revision }: { readonly ownerId: string; readonly revision: string },
): Promise<Compiled> {
  const key = `${ownerId} ${trigger} ${revision}`;
  let compiled = remembered.get(key);
  if (!compiled) {
    const workflows = await listStarted(db, ownerId, trigger);
    compiled = compileAll(workflows, await readAuthorities(db, workflows));
    remembered.set(key, compiled);
  }
  return compiled;
}

function compileAll(
  rows: readonly WorkflowRow[],
  authorities: ReadonlyMap<string, Authority>,
): Compiled {
  const unknown = { workflows: undefined, groups: new Set<FactGroup>(), size: 100 };
  const size = rows.reduce((sum, { steps }) => sum + getSize(steps), unknown.size);
  if (size > MAX_SIZE) return unknown;
  const workflows: Filters[] = [];
  for (const row of rows) {
    const authority = authorities.get(row.id);
    const isRefused = !authority || 'refusal' in authority;
    const filters = row.isLogging || isRefused ? [] : compileFilters(row);
    const [first] = filters;
    if (!first || first.needs.tasks.length > 0) return unknown;
    workflows.push(filters);
  }
  return { workflows, groups: listFactGroups(workflows.flat()), size };
}

const getSize = (steps: WorkflowRow['steps']): number =>
  JSON.stringify(steps).length + countExpressions(steps) * EXPRESSION_BYTES;

/** Returns none for a workflow that cannot go on any more: its run ends with the error. */
function compileFilters({ steps }: WorkflowRow): Filters {
  try {
    const compiled = compileSteps(steps);
    const action = compiled.findIndex((step) => 'action' in step);
    return action < 0 ? compiled : compiled.slice(0, action);
  } catch {
    return [];
  }
}
