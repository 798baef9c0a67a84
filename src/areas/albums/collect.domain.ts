import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import { addAssets, createAlbum } from './domain.ts';
import * as store from './store.ts';

// For what adds items to albums without being asked for each: workflows.

/** Adds an item to albums, if it is not there. Throws 400 for an album that the account may not edit. */
export async function addToAlbums(
  ctx: Ctx,
  albumIds: readonly string[],
  assetId: string,
): Promise<void> {
  // Sorted, so that concurrent writers lock albums in one order.
  for (const id of [...new Set(albumIds)].toSorted()) {
    const [result] = await addAssets(ctx, id, [assetId]);
    if (result!.error === 'no_permission') {
      throw badRequest('The item cannot be added to albums');
    }
  }
}

/**
 * Returns the id of the account's own album of this name, the newest of several, or creates it. Call it in
 * a transaction: of two that need it at once, one creates it.
 */
export async function findOrCreateAlbum(ctx: Ctx, name: string): Promise<string> {
  const session = requireUser(ctx.session);
  await store.lockAlbumName(ctx.db, session.userId, name);
  const [known] = await store.listAlbums(ctx.db, session, { name, isOwned: true });
  return known?.id ?? (await createAlbum(ctx, { albumName: name })).id;
}
