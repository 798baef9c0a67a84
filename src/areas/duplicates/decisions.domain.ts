import { saveKeepDecision } from '../duplicate-sets/index.ts';
import { requireUser, ownedAmong } from '../../access/scope.ts';
import { lockStackMembers } from '../stack-members/index.ts';
import type { Ctx } from '../../core/context.ts';
import { AppError, noAccess } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { BulkIdResult } from '../../http/schemas.ts';
import { mergeAssets } from '../assets/index.ts';
import { inheritPeople } from '../faces/index.ts';
import { trashForTool } from '../trash/index.ts';
import { getAllSets, toReader, findSetsByAsset } from './domain.ts';
import type { ResolveGroup } from './schemas.ts';
import * as store from './store.ts';

/**
 * Marks all of these sets (or none) as kept; neither they nor parts of them are suggested again.
 * Throws 400 `noAccess` for an unknown set.
 */
export async function keepDuplicates(ctx: Ctx, ids: readonly string[]): Promise<void> {
  requireUser(ctx.session);
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
  await inTransaction(ctx, async (ctx) => {
    const sets = await getAllSets(ctx);
    for (const id of wanted) {
      const set = sets.get(id);
      if (!set) throw noAccess('duplicate.delete');
      await saveKeepDecision(toReader(ctx), id, set.itemIds);
    }
  });
}

/** Withdraws decisions about these sets; trashed items stay in the trash. */
export async function reopenDuplicates(ctx: Ctx, ids: readonly string[]): Promise<void> {
  await store.removeDecisions(
    toReader(ctx),
    ids.map((id) => id.toLowerCase()),
  );
}

/** Returns one result per set, in order; a failure does not affect the others. */
export async function resolveDuplicates(
  ctx: Ctx,
  groups: readonly ResolveGroup[],
): Promise<BulkIdResult[]> {
  requireUser(ctx.session);
  const results: BulkIdResult[] = [];
  for (const group of groups) {
    const id = group.duplicateId;
    try {
      const refusal = await inTransaction(ctx, (ctx) => resolveSet(ctx, group));
      results.push({ id, success: refusal === undefined, ...refusal });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      results.push({ id, success: false, error: 'unknown', errorMessage: error.message });
    }
  }
  return results;
}

/** As in Immich: a set that has grown since it was shown is not decided without its new members. */
const NEITHER = 'Every asset must be in either keepAssetIds or trashAssetIds';
const BOTH = 'An asset cannot be in both keepAssetIds and trashAssetIds';

type Refusal = Pick<BulkIdResult, 'error' | 'errorMessage'>;

/** Ids of assets outside the set are ignored, as Immich does. */
async function resolveSet(ctx: Ctx, group: ResolveGroup): Promise<Refusal | undefined> {
  const named = [...group.keepAssetIds, ...group.trashAssetIds].map((id) => id.toLowerCase());
  // Locked first: of two concurrent decisions the second finds the set changed, and no picture
  // loses its last copy.
  const owned = await ownedAmong(ctx.db, ctx.session, named);
  await lockStackMembers(ctx.db, [...owned]);
  const id = group.duplicateId.toLowerCase();
  const set = (await findSetsByAsset(ctx, named)).get(id);
  if (!set) return { error: 'not_found' };
  const members = new Set(set.itemIds);
  const select = (ids: readonly string[]) =>
    [...new Set(ids.map((one) => one.toLowerCase()))].filter((one) => members.has(one));
  const [kept, trashed] = [select(group.keepAssetIds), select(group.trashAssetIds)];
  if (kept.some((one) => trashed.includes(one))) return { error: 'validation', errorMessage: BOTH };
  if (kept.length + trashed.length < set.itemIds.length) {
    return { error: 'validation', errorMessage: NEITHER };
  }
  if (trashed.length > 0) {
    await mergeAssets(ctx, kept, trashed);
    await inheritPeople(ctx, kept, trashed);
  }
  if (kept.length > 1) await saveKeepDecision(toReader(ctx), id, kept);
  // Only the shown picture of a stack is trashed: nobody has reviewed the others.
  if (trashed.length > 0) await trashForTool(ctx, 'duplicates', trashed);
  return undefined;
}
