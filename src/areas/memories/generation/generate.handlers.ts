import { findAccountSession } from '../../../access/account-session.ts';
import { lockOwned } from '../../../access/scope.ts';
import type { Db } from '../../../db/client.ts';
import type { MemoryType } from '../../../db/tables/memories.ts';
import type { JobCtx, JobHandler } from '../../../jobs/define.ts';
import { enqueueMany } from '../../../jobs/queue.ts';
import { enqueueInRun, finishCounting, startRun } from '../../../jobs/runs.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { readConfig } from '../../system-config/index.ts';
import { listAccountIds } from '../../users/index.ts';
import { findDueGenerations, generateAllMemories, generateMemories } from '../jobs.ts';
import { listRules } from '../show-less/store.ts';
import type { Reader } from '../store.ts';
import { chooseMembers } from './choose.domain.ts';
import { toDay } from '../../../core/dates.ts';
import { addDays } from './days.ts';
import { findAccount, listDueAccounts, lockAccount } from './due.store.ts';
import { planFirst } from './first.domain.ts';
import { planOnThisDay } from './on-this-day.domain.ts';
import { planPlaces } from './places.domain.ts';
import type { Plan, PlannedDraft } from './plan.ts';
import { listKeys, saveDrafts, saveGeneration } from './save.store.ts';
import { planSubjects } from './subjects.domain.ts';

/** As Immich: clients that were offline for a while have copies of the memories of these days. */
const DAYS_AHEAD = 3;

/** Starts the generation for the accounts that are due. */
export const handleFindDueGenerations: JobHandler<typeof findDueGenerations> = async (ctx) => {
  const { nightlyTasks } = await readConfig(ctx.db, 'nightlyTasks');
  if (!nightlyTasks.generateMemories) return undefined;
  const due = await listDueAccounts(ctx.db, ctx.now());
  if (due.length === 0) return undefined;
  const { name, queue } = generateAllMemories;
  return async (tx) =>
    enqueueGenerations(tx, due, await startRun(tx, { name, queue, trigger: 'schedule' }));
};

export const handleGenerateAllMemories: JobHandler<typeof generateAllMemories> = async (
  ctx,
  { runId },
) => {
  if (runId) ctx.onFailed((db, error) => finishCounting(db, runId, (error as Error).message));
  const accounts = await listAccountIds(ctx.db);
  return (tx) => enqueueGenerations(tx, accounts, runId);
};

async function enqueueGenerations(
  db: Db,
  accounts: readonly string[],
  runId: string | undefined,
): Promise<void> {
  const payloads = accounts.map((ownerId) => ({ ownerId }));
  if (!runId) return enqueueMany(db, generateMemories, payloads);
  await enqueueInRun(db, runId, generateMemories, payloads);
  await finishCounting(db, runId);
}

/** Makes the memories of an account. All are added together, each once: see memory.key. */
export const handleGenerateMemories: JobHandler<typeof generateMemories> = async (
  ctx,
  { ownerId },
) => {
  const now = ctx.now();
  const day = toDay(now);
  const session = await findAccountSession(ctx.db, ownerId);
  const account = await findAccount(ctx.db, ownerId);
  if (!session || !account) return undefined;
  const drafts = account.wantsMemories ? await makeDrafts(ctx, { db: ctx.db, session }, now) : [];
  return async (tx) => {
    if (!(await lockAccount(tx, ownerId))) return;
    // Assets that were deleted or moved to Locked meanwhile are left out.
    const kept = await lockOwned(tx, session, [...new Set(drafts.flatMap((one) => one.assetIds))]);
    const current = drafts
      .map((draft) => ({ ...draft, assetIds: draft.assetIds.filter((id) => kept.has(id)) }))
      .filter(({ assetIds, least }) => assetIds.length >= least);
    await saveDrafts(tx, ownerId, current, now);
    await saveGeneration(tx, { ownerId, day, assets: account.assets, now });
  };
};

/** Others have a subject: whom or what they show is why. */
const STORIES: readonly MemoryType[] = ['on_this_day', 'custom'];

async function makeDrafts(ctx: JobCtx, reader: Reader, now: Date): Promise<PlannedDraft[]> {
  const { userId } = reader.session;
  const today = toDay(now);
  const input = {
    days: Array.from({ length: DAYS_AHEAD + 1 }, (_, n) => addDays(today, n)),
    rules: await listRules(ctx.db, userId),
    known: await listKeys(ctx.db, userId),
    now,
  };
  const plans: Plan[] = [
    ...(await planOnThisDay(reader, input)),
    ...(await planSubjects(reader, input)),
    ...(await planPlaces(ctx, reader, input)),
    ...(await planFirst(ctx, reader, input)),
  ];
  const drafts: PlannedDraft[] = [];
  const rest = plans.values();
  await runThrottled(ctx, async () => {
    const { value: plan, done } = rest.next();
    if (done) return false;
    const { draft, candidates } = plan;
    if (candidates.length < draft.least) return true;
    const needsStory = STORIES.includes(draft.type);
    const members = await chooseMembers(ctx, reader, candidates, needsStory);
    if (members.length < draft.least) return true;
    const subject = plan.describe?.(members) ?? draft.subject;
    drafts.push({ ...draft, subject, assetIds: members.map(({ id }) => id) });
    return true;
  });
  return drafts;
}
