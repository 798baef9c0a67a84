import { requireUser } from '../../access/scope.ts';
import { lockStackMembers } from './members/members.store.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, noAccess } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { findAssetsById } from '../assets/index.ts';
import type { Stack, StackUpdate } from './schemas.ts';
import * as store from './store.ts';

/** All of the caller's, newest first, in pages. */
export async function* listStacks(ctx: Ctx): AsyncGenerator<Stack[], void> {
  for await (const found of store.stackPages(ctx.db, requireUser(ctx.session))) {
    for (const few of inPortions(found)) yield toStacks(ctx, few);
  }
}

/** How many assets are written at a time. */
const PORTION = 1000;

/** Most stacks have a few members, some have thousands. */
function* inPortions(stacks: readonly store.StackView[]): Generator<store.StackView[]> {
  let portion: store.StackView[] = [];
  let members = 0;
  for (const stack of stacks) {
    if (members > 0 && members + stack.memberIds.length > PORTION) {
      yield portion;
      portion = [];
      members = 0;
    }
    portion.push(stack);
    members += stack.memberIds.length;
  }
  yield portion;
}

/** The one that this asset stands for, if there is one. */
export async function stacksOfPrimary(ctx: Ctx, primaryAssetId: string): Promise<Stack[]> {
  requireUser(ctx.session);
  const id = primaryAssetId.toLowerCase();
  const found = await store.findStacks(ctx.db, ctx.session, { assetIds: [id] });
  return toStacks(
    ctx,
    found.filter((stack) => stack.primaryId === id),
  );
}

export async function getStack(ctx: Ctx, id: string): Promise<Stack> {
  return toStack(ctx, await ownStack(ctx, id, 'stack.read'));
}

/** The first asset stands for the others. The primary asset of a stack brings that whole stack along. */
export async function createStack(ctx: Ctx, assetIds: readonly string[]): Promise<Stack> {
  const { userId } = requireUser(ctx.session);
  const named = [...new Set(assetIds.map((id) => id.toLowerCase()))];
  if (named.length < 2) throw badRequest('A stack needs at least two assets');
  const made = await inTransaction(ctx, async (ctx) => {
    const { db, session } = ctx;
    await lockStackMembers(db, named);
    const found = await store.findOwn(db, session, named);
    if (found.length < named.length) throw noAccess('asset.update');
    requireStackable(found);
    const isNamed = new Set(named);
    const merged = (await store.findStacks(db, session, { assetIds: named }))
      .filter((stack) => isNamed.has(stack.primaryId))
      .map((stack) => stack.id);
    const members = [...named, ...(await store.memberIdsOf(db, merged))];
    if (merged.length > 0) await store.deleteStacks(db, merged);
    const stack = { ownerId: userId, primaryId: named[0]! };
    return ownStack(ctx, await store.insertStack(db, stack, members, ctx.now()), 'stack.read');
  });
  return toStack(ctx, made);
}

/** What is listed nowhere cannot stand for others, and a stack is locked as a whole. */
function requireStackable(named: readonly store.NamedAsset[]): void {
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
    return ownStack(ctx, id, 'stack.update');
  });
  return toStack(ctx, changed);
}

export async function removeFromStack(ctx: Ctx, id: string, assetId: string): Promise<void> {
  const wanted = assetId.toLowerCase();
  await inTransaction(ctx, async (ctx) => {
    const stack = await lockStack(ctx, id, 'stack.update');
    const own = await store.findOwn(ctx.db, ctx.session, [wanted]);
    const members = new Set(await store.memberIdsOf(ctx.db, [stack.id]));
    if (own.length === 0 || !members.has(wanted)) throw badRequest('Asset not in stack');
    if (stack.primaryId === wanted) throw badRequest("Cannot remove stack's primary asset");
    await store.removeMembers(ctx.db, [wanted], ctx.now());
  });
}

/** All of them or none; their assets stay. */
export async function deleteStacks(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
  await inTransaction(ctx, async (ctx) => {
    await lockStackMembers(ctx.db, await store.memberIdsOf(ctx.db, wanted));
    const found = await store.findStacks(ctx.db, ctx.session, { ids: wanted });
    if (found.length < wanted.length) throw noAccess('stack.delete');
    await store.deleteStacks(ctx.db, wanted);
  });
}

async function lockStack(ctx: Ctx, id: string, permission: string): Promise<store.StackView> {
  const stack = await ownStack(ctx, id, permission);
  await lockStackMembers(ctx.db, stack.memberIds);
  return ownStack(ctx, id, permission);
}

async function ownStack(ctx: Ctx, id: string, permission: string): Promise<store.StackView> {
  requireUser(ctx.session);
  const [stack] = await store.findStacks(ctx.db, ctx.session, { ids: [id] });
  if (!stack) throw noAccess(permission);
  return stack;
}

async function toStack(ctx: Ctx, found: store.StackView): Promise<Stack> {
  const [stack] = await toStacks(ctx, [found]);
  if (!stack) throw noAccess('stack.read');
  return stack;
}

async function toStacks(ctx: Ctx, found: readonly store.StackView[]): Promise<Stack[]> {
  const assets = await findAssetsById(
    ctx,
    found.flatMap((stack) => stack.memberIds),
  );
  return found.flatMap(({ id, primaryId, memberIds }) => {
    const shown = memberIds.flatMap((memberId) => assets.get(memberId) ?? []);
    // Gone between the two reads.
    if (!assets.has(primaryId)) return [];
    return [{ id, primaryAssetId: primaryId, assets: shown }];
  });
}
