import { createHash } from 'node:crypto';
import { requireUser, visibleAmong } from '../../access/scope.ts';
import type { Ctx, Deps } from '../../core/context.ts';
import { invalidField } from '../../core/errors.ts';
import { toBase64, toHex } from '../../core/hash.ts';
import { requireValue } from '../../core/required.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { ApplyRow, PlanRow } from '../../db/tables/physical-deduplication.ts';
import { enqueueRun } from '../../jobs/runs.ts';
import { hasAccount, readConfig } from '../system-config/index.ts';
import { getPath, listStaleFiles } from './inspection.ts';
import { previewPlan } from './jobs.ts';
import * as plans from './plans.store.ts';
import * as store from './preview.store.ts';
import type {
  Apply,
  Copy,
  Group,
  Plan,
  PreviewQuery,
  PreviewRequest,
  PreviewResponse,
} from './schemas.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Ended runs are listed for so long. */
const RECENT_MS = 30 * DAY_MS;
const PAGE_SIZE = 500;

/** Queues a dry run. */
export async function startPreview(
  ctx: Ctx,
  { retainUserId = null, reviewUserId = null }: PreviewRequest,
): Promise<void> {
  if (reviewUserId !== null && reviewUserId === retainUserId) {
    throw invalidField('reviewUserId', 'Must differ from retainUserId');
  }
  for (const [field, id] of Object.entries({ retainUserId, reviewUserId })) {
    if (id !== null && !(await hasAccount(ctx.db, id)))
      throw invalidField(field, 'Unknown account');
  }
  await inTransaction(ctx, async ({ db, session }) => {
    const planId = await plans.insertPlan(db, { retainUserId, reviewUserId });
    const requestedBy = requireUser(session).userId;
    const run = { name: 'physical-deduplication-preview', trigger: 'manual', requestedBy } as const;
    await enqueueRun(db, { ...run, queue: previewPlan.queue }, previewPlan, { planId });
  });
}

/** Makes a plan from what the last scans have read, of files that are still so: none is opened. Can be repeated. */
export async function makePlan(
  ctx: Deps,
  planId: string,
  onStep: () => void = () => {},
): Promise<void> {
  const { db } = ctx;
  const plan = await plans.lockPlan(db, planId);
  if (plan?.status !== 'queued' && plan?.status !== 'running') return;
  await plans.updatePlan(db, planId, { status: 'running' });
  await store.deleteCopies(db, planId);
  const { retainUserId, reviewUserId } = plan;
  const { masterUserId } = (await readConfig(db, 'physicalDeduplication')).physicalDeduplication;
  const stale = await listStaleFiles(ctx, onStep);
  const options = { planId, retainUserId, reviewUserId, masterUserId, stale };
  const hash = createHash('sha256');
  let reclaimableBytes = 0;
  for (let slice = 0; slice < store.SLICES; slice++) {
    onStep();
    const inserted = await store.insertCopies(db, options, slice);
    hash.update(inserted.evidence);
    reclaimableBytes += inserted.reclaimableBytes;
  }
  onStep();
  const sharedBytes = await store.sumShared(db);
  const totals = { fingerprint: hash.digest(), reclaimableBytes, sharedBytes };
  await inTransaction(ctx, async ({ db }) => {
    const newest = await plans.findNewestPlan(db);
    // A plan that was asked for later is made next.
    const status = newest?.id === planId ? 'previewed' : 'superseded';
    await plans.updatePlan(db, planId, { ...totals, status });
    if (status === 'previewed') await plans.supersedeOthers(db, planId);
    else await store.deleteCopies(db, planId);
  });
}

/** Yields the latest plan, and recent runs, as JSON: `PreviewResponse`. */
export async function* renderPreview(
  ctx: Ctx,
  { after, limit = Infinity }: PreviewQuery,
): AsyncGenerator<string, void> {
  const { db, now } = ctx;
  const newest = await plans.findNewestPlan(db);
  const plan = await plans.findReadyPlan(db);
  const { masterUserId } = (await readConfig(db, 'physicalDeduplication')).physicalDeduplication;
  const applies = await store.listApplies(db, new Date(now().getTime() - RECENT_MS));
  const rest = {
    status: toStatus(newest),
    applies: applies.map(toApply),
    error: newest?.error ?? null,
  } satisfies Omit<PreviewResponse, 'plan'>;
  if (!plan) return yield JSON.stringify({ ...rest, plan: null } satisfies PreviewResponse);
  // The groups last: they are read page by page.
  yield `${JSON.stringify(rest).slice(0, -1)},"plan":`;
  yield `${JSON.stringify(toPlan(plan, masterUserId)).slice(0, -1)},"groups":[`;
  let separator = '';
  for await (const groups of listGroups(ctx, plan.id, after, limit)) {
    yield separator + JSON.stringify(groups).slice(1, -1);
    separator = ',';
  }
  yield ']}}';
}

async function* listGroups(
  ctx: Ctx,
  planId: string,
  afterId: string | undefined,
  limit: number,
): AsyncGenerator<Group[], void> {
  const { db, session } = ctx;
  let after = afterId === undefined ? undefined : await store.findGroup(db, planId, afterId);
  if (afterId !== undefined && !after) return;
  for (let left = limit; left > 0;) {
    const size = Math.min(left, PAGE_SIZE);
    const rows = await store.listGroups(db, planId, { after, limit: size });
    const last = rows.at(-1);
    if (!last) return;
    const ids = rows.map(({ assetId }) => assetId);
    const visible = await visibleAmong(db, session, ids);
    const groups = toGroups(ctx, rows, visible);
    yield groups;
    if (groups.length < size) return;
    after = { size: last.size, groupId: last.groupId };
    left -= size;
  }
}

function toGroups(
  { paths }: Ctx,
  rows: readonly store.ListedCopy[],
  visible: ReadonlySet<string>,
): Group[] {
  const toCopy = (row: store.ListedCopy): Copy => ({
    id: row.id,
    assetId: row.assetId,
    ownerId: row.ownerId,
    ownerName: row.ownerName ?? '',
    path: getPath(paths, row),
    sizeInBytes: row.size,
    checksum: toBase64(row.sha1),
    referenceCount: row.referenceCount,
    decision: row.decision,
    isThumbnailVisible: visible.has(row.assetId),
    problem: row.problem,
  });
  const groups: Group[] = [];
  for (const row of rows) {
    const copy = toCopy(row);
    if (row.id !== row.groupId) requireValue(groups.at(-1), 'group of a copy').copies.push(copy);
    else {
      const { checksum, sizeInBytes } = copy;
      groups.push({ id: row.id, checksum, sizeInBytes, retained: copy, copies: [] });
    }
  }
  return groups;
}

const toStatus = (newest: PlanRow | undefined): PreviewResponse['status'] => {
  if (!newest) return 'none';
  const { status } = newest;
  return status === 'queued' || status === 'running' || status === 'failed' ? status : 'ready';
};

const toPlan = (plan: PlanRow, masterUserId: string | null): Omit<Plan, 'groups'> => ({
  id: plan.id,
  fingerprint: toHex(requireValue(plan.fingerprint, 'fingerprint of a plan')),
  status: plan.status as Plan['status'],
  retainUserId: plan.retainUserId,
  reviewUserId: plan.reviewUserId,
  masterUserId,
  createdAt: plan.createdAt.toISOString(),
  reviewedAt: plan.reviewedAt?.toISOString() ?? null,
  reclaimableBytes: plan.reclaimableBytes,
  sharedBytes: plan.sharedBytes,
});

const toApply = (row: ApplyRow): Apply => ({
  id: row.id,
  planId: row.planId,
  status: row.status,
  total: row.total,
  processed: row.processed,
  failed: row.failed,
  reclaimedBytes: row.reclaimedBytes,
  startedAt: row.startedAt.toISOString(),
  finishedAt: row.finishedAt?.toISOString() ?? null,
});
