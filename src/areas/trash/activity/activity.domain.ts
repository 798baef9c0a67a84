import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import * as store from './activity.store.ts';
import type { MoveResult } from '../moves/operation.domain.ts';
import type { Activity, Tool } from '../schemas.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Retention of the activity of utilities. */
export const ACTIVITY_RETENTION_MS = 365 * DAY_MS;
const MAX_LISTED = 200;
/** Assets in one response, unless the newest entry alone has more. */
const MAX_LISTED_ASSETS = 100_000;

/** Records a move to the trash by a utility and returns its id, or undefined when nothing was moved. */
export async function recordMove(
  ctx: Ctx,
  tool: Tool,
  ids: readonly string[],
  moved: MoveResult,
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
 * Records which moves a restore undoes. Call it before the items leave the trash. Returns the id of the
 * record of the largest move, or undefined when no utility moved the items.
 */
export async function recordUndo(ctx: Ctx, ids: readonly string[]): Promise<string | undefined> {
  const { userId } = requireUser(ctx.session);
  let first: string | undefined;
  for (const { tool, ids: moved, bytes } of await store.listMovesByAssets(ctx.db, userId, ids)) {
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
  const activities = await store.listActivities(ctx.db, {
    userId,
    tool,
    since: new Date(ctx.now().getTime() - ACTIVITY_RETENTION_MS),
    limit: MAX_LISTED,
    maxAssets: MAX_LISTED_ASSETS,
  });
  const ids = activities.map((activity) => activity.id);
  const assets = Map.groupBy(await store.listActivityAssets(ctx, ids), (asset) => asset.activityId);
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
