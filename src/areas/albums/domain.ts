import { requireForOthersItems } from '../../access/others-items.ts';
import { SHARED } from '../../access/permissions.ts';
import { ownedAmong, requireUser, shareableAmong } from '../../access/scope.ts';
import { toBulkResults } from '../../core/bulk-results.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import { requireValue } from '../../core/required.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { BulkIdResult } from '../../http/schemas.ts';
import { recordAddition } from './additions.domain.ts';
import { lockAlbumAssets, lockAssets } from './contents/contents.store.ts';
import { addMembers } from './members.domain.ts';
import { isAtLeast, requireRole } from './roles.domain.ts';
import type { Album, AlbumCreate, AlbumFilter, AlbumUpdate } from './schemas.ts';
import * as store from './store.ts';
import { getAlbumById, toAlbums } from './view.domain.ts';

/** With `assetId`, returns all albums that contain it and ignores the other filters, as Immich does. */
export async function listAlbums(ctx: Ctx, filter: AlbumFilter): Promise<Album[]> {
  const session = requireUser(ctx.session);
  const { id, assetId, ...others } = filter;
  const search = assetId ? { assetId } : { ...others, ...(id && { ids: [id] }) };
  return toAlbums(ctx, await store.listAlbums(ctx.db, session, search));
}

export async function getAlbum(ctx: Ctx, id: string): Promise<Album> {
  await requireRole(ctx, id, 'viewer', 'album.read');
  return getAlbumById(ctx, id);
}

// Members that are not named here fail to compile, so that no new one is dropped in silence.

export async function createAlbum(ctx: Ctx, input: AlbumCreate): Promise<Album> {
  const session = requireUser(ctx.session);
  const ownerId = session.userId;
  return keepLimit(ctx, 'album', { ownerId }, async (ctx) => {
    const { albumName, description, albumUsers, assetIds, ...others } = input;
    others satisfies Record<string, never>;
    const { id } = await store.insertAlbum(ctx.db, ownerId, {
      // Names of folders come as the file system has them.
      name: albumName.normalize('NFC'),
      description: description ?? '',
      coverId: undefined,
      isActivityEnabled: undefined,
      sortOrder: undefined,
    });
    if (albumUsers?.length) await addMembers(ctx, id, albumUsers);
    if (assetIds?.length) {
      const allowed = await lockShareable(ctx, assetIds);
      await addWithinLimit(ctx, id, [...allowed]);
    }
    if (albumUsers?.length) {
      await requireForOthersItems(ctx.db, session, SHARED, { albumId: id });
    }
    return getAlbumById(ctx, id);
  });
}

export async function updateAlbum(ctx: Ctx, id: string, change: AlbumUpdate): Promise<Album> {
  return inTransaction(ctx, async (ctx) => {
    await requireRole(ctx, id, 'editor', 'album.update');
    const { albumName, description, albumThumbnailAssetId: coverId, ...rest } = change;
    const { isActivityEnabled, order, ...others } = rest;
    others satisfies Record<string, never>;
    if (
      coverId &&
      !(await store.showsAsset(ctx.db, ctx.session, { albumId: id, assetId: coverId }))
    ) {
      throw badRequest('Invalid album thumbnail');
    }
    await store.announceAlbum(ctx.db, id);
    await store.updateAlbum(ctx.db, id, {
      name: albumName,
      description: description === null ? '' : description,
      coverId,
      isActivityEnabled,
      sortOrder: order,
      updatedAt: ctx.now(),
    });
    return getAlbumById(ctx, id);
  });
}

export async function deleteAlbum(ctx: Ctx, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await requireRole(ctx, id, 'owner', 'album.delete');
    await lockAlbumAssets(ctx.db, id);
    await store.announceAlbum(ctx.db, id);
    await store.deleteAlbum(ctx.db, id);
  });
}

/** Returns a result for each id, in order. */
export async function addAssets(ctx: Ctx, id: string, ids: string[]): Promise<BulkIdResult[]> {
  const session = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    await requireRole(ctx, id, 'editor', 'albumAsset.create');
    const allowed = await lockShareable(ctx, ids);
    const added = await addWithinLimit(ctx, id, [...allowed]);
    if (added.size > 0) {
      await store.touchAlbum(ctx.db, id, ctx.now());
      await recordAddition(ctx.db, id, session.userId);
    }
    return toBulkResults(ids, 'duplicate', (assetId) => {
      if (!allowed.has(assetId)) return 'no_permission';
      return added.has(assetId) ? undefined : 'duplicate';
    });
  });
}

/** Returns the ids that were not in the album before. Throws 409 beyond the limit of its owner. */
async function addWithinLimit(ctx: Ctx, id: string, ids: readonly string[]): Promise<Set<string>> {
  const { userId } = requireUser(ctx.session);
  const { ownerId } = requireValue(await store.findAlbum(ctx.db, id), 'album');
  return keepLimit(ctx, 'albumItem', { ownerId, rows: ids.length }, ({ db }) =>
    store.addAssets(db, id, ids, userId),
  );
}

/** Returns the ids that the account may add to albums, and locks them. */
const lockShareable = async (ctx: Ctx, ids: readonly string[]): Promise<Set<string>> =>
  lockAssets(ctx.db, [...(await shareableAmong(ctx.db, requireUser(ctx.session), ids))]);

/** The owner may remove anything; an editor own items and those of partners. */
export async function removeAssets(ctx: Ctx, id: string, ids: string[]): Promise<BulkIdResult[]> {
  return inTransaction(ctx, async (ctx) => {
    const role = await requireRole(ctx, id, 'editor', 'albumAsset.delete');
    await lockAlbumAssets(ctx.db, id, ids);
    const allowed = role === 'owner' ? ids : [...(await filterRemovable(ctx, ids))];
    const removed = await store.removeAssets(ctx.db, id, allowed);
    if (removed.size > 0) await store.touchAlbum(ctx.db, id, ctx.now());
    const left = await store.filterContained(ctx.db, id, ids);
    return toBulkResults(ids, 'not_found', (assetId) => {
      if (removed.has(assetId)) return undefined;
      return left.has(assetId) ? 'no_permission' : 'not_found';
    });
  });
}

async function filterRemovable(ctx: Ctx, ids: readonly string[]): Promise<Set<string>> {
  const session = requireUser(ctx.session);
  const own = await ownedAmong(ctx.db, session, ids);
  return own.union(await shareableAmong(ctx.db, session, ids));
}

/** Adds the assets to the albums that the caller may edit; skips other albums. */
export async function addAssetsToAlbums(ctx: Ctx, albumIds: string[], assetIds: string[]) {
  const session = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    const roles = await store.findRoles(ctx.db, session.userId, albumIds);
    const editable = albumIds.filter((id) => isAtLeast(roles.get(id), 'editor'));
    const allowed = [...(await lockShareable(ctx, assetIds))];
    if (editable.length === 0 || allowed.length === 0) {
      return { success: false, error: 'no_permission' as const };
    }
    let added = 0;
    // Sorted, so that concurrent writers lock albums in one order.
    for (const id of [...new Set(editable)].toSorted()) {
      const { size } = await addWithinLimit(ctx, id, allowed);
      await store.touchAlbum(ctx.db, id, ctx.now());
      if (size > 0) await recordAddition(ctx.db, id, session.userId);
      added += size;
    }
    return added > 0 ? { success: true } : { success: false, error: 'duplicate' as const };
  });
}

export const getAlbumStatistics = async (ctx: Ctx) =>
  store.countAlbums(ctx.db, requireUser(ctx.session).userId);
