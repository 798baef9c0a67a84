import { listedAmong, lockOwned, requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { filterByRole, removeAssets } from '../../albums/index.ts';
import { updateAssets } from '../../assets/index.ts';
import { untagAssets } from '../../tags/index.ts';
import { type Change, isAsLeft, type Value, type ValueField } from './changes.ts';
import * as store from './changes.store.ts';
import type { UndoProgress } from './kind.ts';

/**
 * Takes back changes that the items still have as they were made. Items that the account does not have any more, or has
 * locked or trashed, stay as they are. Call it in a transaction.
 */
export async function takeBack(ctx: Ctx, changes: readonly Change[]): Promise<UndoProgress> {
  const { db, session } = ctx;
  const ids = [...new Set(changes.map(({ assetId }) => assetId))];
  const owned = await lockOwned(db, session, ids);
  const listed = await listedAmong(db, requireUser(session), [...owned]);
  const states = await store.readStates(db, [...listed]);
  const available = changes.filter(({ assetId }) => states.has(assetId));
  const unchanged = available.filter((change) => {
    const state = states.get(change.assetId);
    return state !== undefined && isAsLeft(change, state);
  });
  const refused = await restore(ctx, unchanged);
  return {
    restored: unchanged.length - refused,
    changed: available.length - unchanged.length,
    unavailable: changes.length - available.length + refused,
  };
}

/** Returns the number of changes that the account may not take back. */
async function restore(ctx: Ctx, changes: readonly Change[]): Promise<number> {
  for (const [field, group] of Map.groupBy(changes, ({ field }) => field)) {
    if (field !== 'tag' && field !== 'album') await restoreValues(ctx, field, group);
  }
  for (const [tagId, ids] of groupByTarget(changes, 'tag')) await untagAssets(ctx, tagId, ids);
  return leaveAlbums(ctx, groupByTarget(changes, 'album'));
}

/** Returns the ids of assets by tag or album, in the order in which all writers lock these. */
const groupByTarget = (changes: readonly Change[], wanted: 'tag' | 'album'): [string, string[]][] =>
  [
    ...Map.groupBy(
      changes.filter(({ field }) => field === wanted),
      ({ targetId }) => targetId ?? '',
    ),
  ]
    .map(([id, group]): [string, string[]] => [id, group.map(({ assetId }) => assetId)])
    .toSorted(([one], [other]) => (one < other ? -1 : 1));

async function restoreValues(
  ctx: Ctx,
  field: ValueField,
  changes: readonly Change[],
): Promise<void> {
  for (const [value, group] of Map.groupBy(changes, ({ former }) => former?.value ?? null)) {
    await updateAssets(ctx, {
      ids: group.map(({ assetId }) => assetId),
      ...toUpdate(field, value),
    });
  }
  if (field !== 'rating' && field !== 'description') return;
  const unedited = changes.filter(({ former }) => former?.isEdited === false);
  await store.forgetEdit(
    ctx.db,
    unedited.map(({ assetId }) => assetId),
    field,
  );
}

type Update = Omit<Parameters<typeof updateAssets>[1], 'ids'>;

function toUpdate(field: ValueField, value: Value): Update {
  if (field === 'favorite') return { isFavorite: value === true };
  if (field === 'visibility') return { visibility: value === 'archive' ? 'archive' : 'timeline' };
  if (field === 'rating') return { rating: typeof value === 'number' ? value : null };
  return { description: String(value ?? '') };
}

async function leaveAlbums(ctx: Ctx, albums: readonly [string, string[]][]): Promise<number> {
  const ids = albums.map(([albumId]) => albumId);
  const editable = ids.length > 0 ? await filterByRole(ctx, ids, 'editor') : new Set();
  let refused = 0;
  for (const [albumId, assetIds] of albums) {
    if (!editable.has(albumId)) {
      refused += assetIds.length;
      continue;
    }
    const results = await removeAssets(ctx, albumId, assetIds);
    refused += results.filter(({ error }) => error === 'no_permission').length;
  }
  return refused;
}
