import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import * as store from './activity.store.ts';
import type { MovedSet } from './operation.domain.ts';
import type { Activity, Tool } from './schemas.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** What the utilities did is remembered for so long. */
export const KEPT_MS = 365 * DAY_MS;
const LISTED = 200;
/** An answer names so many items, or those of its newest entry. */
const NAMED = 100_000;

/** Remembers what a utility moved to the trash. Undefined when that was nothing. */
export async function recordMove(
  ctx: Ctx,
  tool: Tool,
  ids: readonly string[],
  moved: MovedSet,
): Promise<string | undefined> {
  if (moved.count === 0) return undefined;
  const { userId } = requireUser(ctx.session);
  return store.insertActivity(
    ctx.db,
    {
      userId,
      tool,
      action: 'trashed',
      assetCount: moved.count,
      bytes: moved.bytes,
      createdAt: moved.trashedAt,
    },
    ids,
  );
}

/**
 * Call before these items leave the trash. Remembers what that undoes, by utility and move; answers
 * with the record of the biggest move, or undefined when none of the items came by one.
 */
export async function recordUndone(ctx: Ctx, ids: readonly string[]): Promise<string | undefined> {
  const { userId } = requireUser(ctx.session);
  let first: string | undefined;
  for (const { tool, ids: moved, bytes } of await store.findMoves(ctx.db, userId, ids)) {
    const activity = {
      userId,
      tool,
      action: 'undone' as const,
      assetCount: moved.length,
      bytes: Number(bytes),
      createdAt: ctx.now(),
    };
    const id = await store.insertActivity(ctx.db, activity, moved);
    first ??= id;
  }
  return first;
}

export async function listActivity(ctx: Ctx, tool: Tool): Promise<{ items: Activity[] }> {
  const { userId } = requireUser(ctx.session);
  const activities = await store.findActivities(ctx.db, {
    userId,
    tool,
    since: new Date(ctx.now().getTime() - KEPT_MS),
    limit: LISTED,
    maxAssets: NAMED,
  });
  const ids = activities.map((activity) => activity.id);
  const assets = Map.groupBy(await store.findActivityAssets(ctx, ids), (asset) => asset.activityId);
  return {
    items: activities.map(({ id, action, count, bytes, at }) => {
      const named = assets.get(id) ?? [];
      return {
        id,
        tool,
        action,
        at: new Date(at).toISOString(),
        count,
        sizeInBytes: Number(bytes),
        canUndo: named.some((asset) => asset.isMoved),
        assets: named.map((asset) => ({
          id: asset.id,
          originalFileName: asset.name,
          isTrashed: asset.isTrashed,
        })),
      };
    }),
  };
}
