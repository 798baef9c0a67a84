import { requireUser } from '../../access/scope.ts';
import { lockStackMembers } from '../stack-members/index.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, noAccess } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { findAssetsById, findBodies, toViewOptions } from '../assets/index.ts';
import type { Stack, StackUpdate } from './schemas.ts';
import * as store from './store.ts';
import { type BurstMember, listBurst } from './burst.store.ts';
import { toJsonArray } from '../../core/json-bytes.ts';

export async function getStack(ctx: Ctx, id: string): Promise<Stack> {
  return toStack(ctx, await getOwnStack(ctx, id, 'stack.read'));
}

/**
 * Creates a stack whose primary asset is the first one. Merges the stacks whose primary assets are
 * listed. Throws 400.
 */
export async function createStack(ctx: Ctx, assetIds: readonly string[]): Promise<Stack> {
  const { userId } = requireUser(ctx.session);
  const uniqueIds = [...new Set(assetIds.map((id) => id.toLowerCase()))];
  const [primaryId] = uniqueIds;
  if (primaryId === undefined || uniqueIds.length < 2)
    throw badRequest('A stack needs at least two assets');
  const created = await inTransaction(ctx, async (ctx) => {
    const { db } = ctx;
    // Nobody locks what belongs to others: the lock takes only ids that the scope has returned.
    await findAllOwn(ctx, uniqueIds);
    await lockStackMembers(db, uniqueIds);
    requireStackable(await findAllOwn(ctx, uniqueIds));
    const merged = await store.listStacksByPrimary(db, uniqueIds);
    const members = [...uniqueIds, ...(await store.listMemberIds(db, merged))];
    if (merged.length > 0) await store.deleteStacks(db, merged);
    const stack = { ownerId: userId, primaryId };
    return getOwnStack(ctx, await store.insertStack(db, stack, members, ctx.now()), 'stack.read');
  });
  return toStack(ctx, created);
}

/** Throws 400 unless all are the caller's own. */
async function findAllOwn(
  { db, session }: Ctx,
  ids: readonly string[],
): Promise<store.StackCandidate[]> {
  const found = await store.findOwnAssets(db, session, ids);
  if (found.length < ids.length) throw noAccess('asset.update');
  return found;
}

/** Creates a stack unless one of the assets is in one. Returns whether it did. */
export const stackUnlessStacked = (ctx: Ctx, assetIds: readonly string[]): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    await lockStackMembers(ctx.db, assetIds);
    const stacks = await store.findStacks(ctx.db, ctx.session, { assetIds });
    if (stacks.length > 0) return false;
    await createStack(ctx, assetIds);
    return true;
  });

/** Throws 400 for trashed and hidden assets, and for a mix of locked and unlocked ones. */
function requireStackable(named: readonly store.StackCandidate[]): void {
  if (named.some((asset) => asset.isTrashed)) {
    throw badRequest('Assets in the trash cannot be stacked');
  }
  if (named.some((asset) => asset.visibility === 'hidden')) {
    throw badRequest('Hidden assets cannot be stacked');
  }
  if (new Set(named.map((asset) => asset.isLocked)).size > 1) {
    throw badRequest('Locked assets can only be stacked with locked assets');
  }
}

export async function updateStack(ctx: Ctx, id: string, change: StackUpdate): Promise<Stack> {
  const primaryId = change.primaryAssetId?.toLowerCase();
  const changed = await inTransaction(ctx, async (ctx) => {
    const stack = await lockStack(ctx, id, 'stack.update');
    if (primaryId === undefined) return stack;
    if (!stack.memberIds.includes(primaryId))
      throw badRequest('Primary asset must be in the stack');
    await store.setPrimary(ctx.db, stack.id, primaryId, ctx.now());
    return getOwnStack(ctx, id, 'stack.update');
  });
  return toStack(ctx, changed);
}

export async function removeFromStack(ctx: Ctx, id: string, assetId: string): Promise<void> {
  const wanted = assetId.toLowerCase();
  await inTransaction(ctx, async (ctx) => {
    const stack = await lockStack(ctx, id, 'stack.update');
    const own = await store.findOwnAssets(ctx.db, ctx.session, [wanted]);
    const members = new Set(await store.listMemberIds(ctx.db, [stack.id]));
    if (own.length === 0 || !members.has(wanted)) throw badRequest('Asset not in stack');
    if (stack.primaryId === wanted) throw badRequest("Cannot remove stack's primary asset");
    await store.removeMembers(ctx.db, [wanted], ctx.now());
  });
}

/** Deletes all stacks or none; their assets stay. Throws 400. */
export async function deleteStacks(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
  await inTransaction(ctx, async (ctx) => {
    const requireAll = async () => {
      const found = await store.findStacks(ctx.db, ctx.session, { ids: wanted });
      if (found.length < wanted.length) throw noAccess('stack.delete');
    };
    await requireAll();
    await lockStackMembers(ctx.db, await store.listMemberIds(ctx.db, wanted));
    await requireAll();
    await store.deleteStacks(ctx.db, wanted);
  });
}

async function lockStack(ctx: Ctx, id: string, permission: string): Promise<store.StackView> {
  const stack = await getOwnStack(ctx, id, permission);
  await lockStackMembers(ctx.db, stack.memberIds);
  return getOwnStack(ctx, id, permission);
}

async function getOwnStack(ctx: Ctx, id: string, permission: string): Promise<store.StackView> {
  requireUser(ctx.session);
  const [stack] = await store.findStacks(ctx.db, ctx.session, { ids: [id] });
  if (!stack) throw noAccess(permission);
  return stack;
}

async function toStack(ctx: Ctx, { id, primaryId, memberIds }: store.StackView): Promise<Stack> {
  const assets = await findAssetsById(ctx, memberIds);
  // Deleted between the two queries.
  if (!assets.has(primaryId)) throw noAccess('stack.read');
  const shown = memberIds.flatMap((memberId) => assets.get(memberId) ?? []);
  return { id, primaryAssetId: primaryId, assets: shown };
}

/**
 * Stacks a photo with the others of its burst, the earliest on top. Photos that are stacked stay where
 * they are: the others join the stack that is nearest in time, below a top item that somebody has chosen.
 */
export const stackBurst = (ctx: Ctx, assetId: string, seconds: number): Promise<void> =>
  inTransaction(ctx, async ({ db, session, now }) => {
    const user = requireUser(session);
    const seen = await listBurst(db, user, assetId, seconds);
    if (seen.length < 2) return;
    const locked = await lockStackMembers(
      db,
      seen.map(({ id }) => id),
    );
    // A photo that has come meanwhile stacks itself.
    const found = await listBurst(db, user, assetId, seconds);
    const burst = found.filter(({ id }) => locked.includes(id));
    const loose = burst.filter(({ stackId }) => stackId === null);
    const [first] = loose;
    if (burst.length < 2 || !first) return;
    const ids = loose.map(({ id }) => id);
    const stackId = findNearestStack(burst, assetId);
    if (stackId === null) {
      await store.insertStack(db, { ownerId: user.userId, primaryId: first.id }, ids, now());
      return;
    }
    await store.addMembers(db, stackId, ids, now());
    const [earliest] = burst.filter((photo) => photo.stackId === stackId);
    const isNewTop = earliest?.isPrimary && first.takenMs < earliest.takenMs;
    if (isNewTop) await store.setPrimary(db, stackId, first.id, now());
  });

function findNearestStack(burst: readonly BurstMember[], assetId: string): string | null {
  const takenMs = burst.find(({ id }) => id === assetId)?.takenMs ?? 0;
  const distance = (photo: BurstMember) => Math.abs(photo.takenMs - takenMs);
  const stacked = burst.filter(({ stackId }) => stackId !== null);
  return stacked.toSorted((one, other) => distance(one) - distance(other))[0]?.stackId ?? null;
}

// Lists of stacks as JSON text. As in Immich their members have no tags, people, owner or stack there.

/** Returns all stacks of the caller, newest first, in pages of the JSON text of StackResponseDto. */
export async function* listStacks(ctx: Ctx): AsyncGenerator<readonly string[], void> {
  const session = requireUser(ctx.session);
  for await (const found of store.listStackPages(ctx.db, session, toViewOptions(session, true))) {
    for (const few of toBatches(found)) yield formatStacks(ctx, few);
  }
}

/** Assets per batch. */
const MAX_ASSETS_PER_BATCH = 1000;

/** Groups stacks into batches by their number of members: most have a few, some thousands. */
function* toBatches(stacks: readonly store.ListedStack[]): Generator<store.ListedStack[]> {
  let portion: store.ListedStack[] = [];
  let members = 0;
  for (const stack of stacks) {
    if (members > 0 && members + stack.members.length > MAX_ASSETS_PER_BATCH) {
      yield portion;
      portion = [];
      members = 0;
    }
    portion.push(stack);
    members += stack.members.length;
  }
  yield portion;
}

/** Returns the stack whose primary asset this is in a JSON array, or an empty one. */
export async function renderStacksByPrimary(ctx: Ctx, primaryAssetId: string): Promise<string> {
  const session = requireUser(ctx.session);
  const id = primaryAssetId.toLowerCase();
  const options = toViewOptions(session, true);
  const found = await store.findListedStacks(ctx.db, session, { assetIds: [id] }, options);
  return toJsonArray(
    await formatStacks(
      ctx,
      found.filter((stack) => stack.primaryId === id),
    ),
  );
}

async function formatStacks(ctx: Ctx, found: readonly store.ListedStack[]): Promise<string[]> {
  const names = found.flatMap(({ members }) => members);
  const bodies = await findBodies(ctx, names, toViewOptions(ctx.session, true));
  let first = 0;
  return found.flatMap(({ id, primaryId, members }) => {
    const assets = bodies.slice(first, (first += members.length));
    // The primary asset was deleted between the two queries.
    if (assets[0] === undefined) return [];
    const shown = toJsonArray(assets.filter((body) => body !== undefined));
    return [`{"id":"${id}","primaryAssetId":"${primaryId}","assets":${shown}}`];
  });
}
