import { asUser } from '../../access/scope.ts';
import { type Ctx, inTransaction } from '../../core/context.ts';
import { AppError, noAccess } from '../../core/errors.ts';
import type { BulkIdResult } from '../../http/schemas.ts';
import { assetsById, copyAsset } from '../assets/index.ts';
import { deleteAssets } from '../trash/index.ts';
import { activeContentRules } from '../users/index.ts';
import type { Duplicates, ResolveGroup } from './schemas.ts';
import { type DuplicateSet, fingerprintOf, setsOf } from './sets.ts';
import * as store from './store.ts';

export async function listDuplicates(ctx: Ctx): Promise<Duplicates[]> {
  const reader = await readerOf(ctx);
  const sets = setsOf(await store.findPairs(reader));
  const ids = sets.flatMap(({ itemIds }) => itemIds);
  const assets = await assetsById(ctx, ids);
  const worth = new Map((await store.orderByWorth(reader, ids)).map((id, at) => [id, at]));
  return sets.flatMap(({ id, itemIds }) => {
    const ordered = itemIds
      .filter((itemId) => assets.has(itemId))
      .toSorted((a, b) => (worth.get(a) ?? Infinity) - (worth.get(b) ?? Infinity));
    // Gone between the two reads.
    if (ordered.length < 2) return [];
    return [
      {
        duplicateId: id,
        assets: ordered.map((itemId) => assets.get(itemId)!),
        suggestedKeepAssetIds: ordered.slice(0, 1),
      },
    ];
  });
}

/** All of these sets or none; they never come back, nor does a part of them. */
export async function keepAll(ctx: Ctx, ids: readonly string[]): Promise<void> {
  asUser(ctx.session);
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
  await inTransaction(ctx, async (ctx) => {
    const sets = await setsById(ctx);
    for (const id of wanted) {
      const set = sets.get(id);
      if (!set) throw noAccess('duplicate.delete');
      await remember(ctx, set.itemIds);
    }
  });
}

/** Answers for each set, in order; what goes wrong with one leaves the others alone. */
export async function resolveDuplicates(
  ctx: Ctx,
  groups: readonly ResolveGroup[],
): Promise<BulkIdResult[]> {
  asUser(ctx.session);
  const results: BulkIdResult[] = [];
  for (const group of groups) {
    const id = group.duplicateId;
    try {
      const error = await inTransaction(ctx, (ctx) => resolveOne(ctx, group));
      results.push(error ? { id, success: false, error } : { id, success: true });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      results.push({ id, success: false, error: 'unknown', errorMessage: error.message });
    }
  }
  return results;
}

async function resolveOne(ctx: Ctx, group: ResolveGroup): Promise<BulkIdResult['error']> {
  const set = (await setsById(ctx)).get(group.duplicateId.toLowerCase());
  if (!set) return 'not_found';
  const kept = [...new Set(group.keepAssetIds.map((id) => id.toLowerCase()))];
  const trashed = [...new Set(group.trashAssetIds.map((id) => id.toLowerCase()))];
  const members = new Set(set.itemIds);
  const isWhole = [...kept, ...trashed].every((id) => members.has(id));
  if (!isWhole || kept.some((id) => trashed.includes(id))) return 'validation';
  // What the owner did with a copy is not lost with it.
  const [heir] = kept;
  if (heir) {
    const wish = { targetId: heir, sharedLinks: true, stack: false, sidecar: false };
    for (const sourceId of trashed) await copyAsset(ctx, { ...wish, sourceId });
  }
  if (kept.length > 1) await remember(ctx, kept);
  if (trashed.length > 0) {
    const all = await store.withStacks(await readerOf(ctx), trashed);
    await deleteAssets(
      ctx,
      all.map(({ id }) => id),
      { force: false },
    );
  }
  return undefined;
}

async function remember(ctx: Ctx, itemIds: readonly string[]): Promise<void> {
  const reader = await readerOf(ctx);
  const contents = (await store.withStacks(reader, itemIds)).map(({ sha256 }) => sha256);
  await store.saveDecision(reader, fingerprintOf(contents), contents);
}

async function setsById(ctx: Ctx): Promise<Map<string, DuplicateSet>> {
  const sets = setsOf(await store.findPairs(await readerOf(ctx)));
  return new Map(sets.map((set) => [set.id, set]));
}

const readerOf = async (ctx: Ctx): Promise<store.Reader> => ({
  db: ctx.db,
  session: asUser(ctx.session),
  rules: await activeContentRules(ctx),
});
