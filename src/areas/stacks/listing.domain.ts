import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { toJsonArray } from '../../core/json-bytes.ts';
import { findBodies, toViewOptions } from '../assets/index.ts';
import * as store from './store.ts';

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
