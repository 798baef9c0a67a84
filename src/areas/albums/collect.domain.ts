import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import { getFirst } from '../../core/required.ts';
import { addAssets, createAlbum, updateAlbum } from './domain.ts';
import * as sources from './sources.store.ts';
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
    const { error } = getFirst(await addAssets(ctx, id, [assetId]));
    if (error === 'no_permission') {
      throw badRequest('The item cannot be added to albums');
    }
  }
}

/**
 * Returns the id of the account's own album of this name, the newest of several, or creates it. Call it in
 * a transaction: of two that need it at once, one creates it.
 */
export async function findOrCreateAlbum(ctx: Ctx, name: string): Promise<string> {
  const [known] = await listByName(ctx, name);
  return known?.id ?? (await createAlbum(ctx, { albumName: name })).id;
}

/** An album of another program. */
export type AlbumOrigin = {
  readonly name: string;
  readonly description?: string | undefined;
  /** The program, and its account where it tells one. */
  readonly source: string;
  /** Tells the albums of a source apart, whatever their names are. */
  readonly key: string;
};

/**
 * Returns the id of the account's own album that one of another program has become, whatever it is called now. At first
 * that is the newest of this name that is no other one of the source, or a new one; an empty description is filled in.
 * Call it in a transaction.
 */
export async function findOrCreateAlbumFrom(ctx: Ctx, origin: AlbumOrigin): Promise<string> {
  const { name, description = '', source, key } = origin;
  const { userId: ownerId } = requireUser(ctx.session);
  await store.lockAlbumName(ctx.db, ownerId, `${source}:${key}`);
  const known = await sources.findAlbumId(ctx.db, { ownerId, source, key });
  if (known !== undefined) return known;
  const named = await listByName(ctx, name);
  const ids = named.map(({ id }) => id);
  const taken = await sources.filterTaken(ctx.db, source, ids);
  const free = named.find(({ id }) => !taken.has(id));
  const id = free?.id ?? (await createAlbum(ctx, { albumName: name, description })).id;
  if (free && free.description === '' && description !== '') {
    await updateAlbum(ctx, id, { description });
  }
  await sources.saveSource(ctx.db, { ownerId, source, key }, id);
  return id;
}

/**
 * The same as findOrCreateAlbum for an album that is shared with one of the accounts. A new one is shared with all of
 * them, who may view it; members of an album that exists stay as they are: somebody may have left it. Throws 400 if there
 * are albums of this name that are not shared with them, because that would show what is in there.
 */
export async function findOrCreateSharedAlbum(
  ctx: Ctx,
  name: string,
  userIds: readonly string[],
): Promise<string> {
  const known = await listByName(ctx, name);
  const members = await store.listMembers(
    ctx.db,
    known.map(({ id }) => id),
  );
  const shared = members.find(({ user }) => userIds.includes(user.id));
  if (shared) return shared.albumId;
  if (known.length > 0) {
    throw badRequest(`The album ${name} exists, and is not shared with the chosen accounts`);
  }
  const albumUsers = userIds.map((userId) => ({ userId, role: 'viewer' as const }));
  return (await createAlbum(ctx, { albumName: name, albumUsers })).id;
}

/** Returns the account's own albums of a name, newest first. Locks the name. */
async function listByName(ctx: Ctx, name: string) {
  const session = requireUser(ctx.session);
  await store.lockAlbumName(ctx.db, session.userId, name.normalize('NFC'));
  return store.listAlbums(ctx.db, session, { name, isOwned: true });
}
