import {
  lockAssets,
  lockAlbumAssets,
  removePartnerAssetsFromAlbums,
} from './members/members.store.ts';
import { requireUser, ownedAmong } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, noAccess } from '../../core/errors.ts';
import type { AlbumRow } from '../../db/tables/albums.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { BulkIdResult } from '../../http/schemas.ts';
import { toUser } from '../users/index.ts';
import { type AlbumSummary, countByContributor, summarize } from './counts.store.ts';
import type { Album, AlbumCreate, AlbumFilter, AlbumShare, AlbumUpdate } from './schemas.ts';
import * as store from './store.ts';

/** Who asks by asset gets every album that holds it: the other filters are ignored, as Immich does. */
export async function listAlbums(ctx: Ctx, filter: AlbumFilter): Promise<Album[]> {
  const session = requireUser(ctx.session);
  const { id, assetId, ...others } = filter;
  const search = assetId ? { assetId } : { ...others, ...(id && { ids: [id] }) };
  return toAlbums(ctx, await store.listAlbums(ctx.db, session, search));
}

export async function getAlbum(ctx: Ctx, id: string): Promise<Album> {
  await requireRole(ctx, id, 'viewer', 'album.read');
  return albumById(ctx, id);
}

export async function createAlbum(ctx: Ctx, input: AlbumCreate): Promise<Album> {
  const session = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    const { id } = await store.insertAlbum(ctx.db, {
      ownerId: session.userId,
      name: input.albumName,
      description: input.description ?? '',
    });
    if (input.albumUsers?.length) await addMembers(ctx, id, input.albumUsers);
    if (input.assetIds?.length) {
      const allowed = await sharableAmong(ctx, input.assetIds);
      await store.addAssets(ctx.db, id, [...allowed], session.userId);
    }
    return albumById(ctx, id);
  });
}

export async function updateAlbum(ctx: Ctx, id: string, change: AlbumUpdate): Promise<Album> {
  return inTransaction(ctx, async (ctx) => {
    await requireRole(ctx, id, 'editor', 'album.update');
    const coverId = change.albumThumbnailAssetId;
    if (
      coverId &&
      !(await store.hasMember(ctx.db, ctx.session, { albumId: id, assetId: coverId }))
    ) {
      throw badRequest('Invalid album thumbnail');
    }
    await store.announceAlbum(ctx.db, id);
    await store.updateAlbum(ctx.db, id, {
      ...(change.albumName !== undefined && { name: change.albumName }),
      ...(change.description !== undefined && { description: change.description ?? '' }),
      ...(coverId && { coverId }),
      ...(change.isActivityEnabled !== undefined && {
        isActivityEnabled: change.isActivityEnabled,
      }),
      ...(change.order && { sortOrder: change.order }),
      updatedAt: ctx.now(),
    });
    return albumById(ctx, id);
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

/** Answers for each id, in order. */
export async function addAssets(ctx: Ctx, id: string, ids: string[]): Promise<BulkIdResult[]> {
  const session = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    await requireRole(ctx, id, 'editor', 'albumAsset.create');
    const allowed = await sharableAmong(ctx, ids);
    const added = await store.addAssets(ctx.db, id, [...allowed], session.userId);
    if (added.size > 0) await store.updateAlbum(ctx.db, id, { updatedAt: ctx.now() });
    return eachOnce(ids, 'duplicate', (assetId) => {
      if (!allowed.has(assetId)) return 'no_permission';
      return added.has(assetId) ? undefined : 'duplicate';
    });
  });
}

/** What the account may put into albums, held until the transaction ends. */
const sharableAmong = async (ctx: Ctx, ids: readonly string[]): Promise<Set<string>> =>
  lockAssets(ctx.db, [...(await store.sharableAmong(ctx.db, requireUser(ctx.session), ids))]);

/** The owner takes out anything; an editor what is the editor's own, or a partner's. */
export async function removeAssets(ctx: Ctx, id: string, ids: string[]): Promise<BulkIdResult[]> {
  return inTransaction(ctx, async (ctx) => {
    const role = await requireRole(ctx, id, 'editor', 'albumAsset.delete');
    await lockAlbumAssets(ctx.db, id, ids);
    const allowed = role === 'owner' ? ids : [...(await removableAmong(ctx, ids))];
    const removed = await store.removeAssets(ctx.db, id, allowed);
    if (removed.size > 0) await store.updateAlbum(ctx.db, id, { updatedAt: ctx.now() });
    const left = await store.membersAmong(ctx.db, id, ids);
    return eachOnce(ids, 'not_found', (assetId) => {
      if (removed.has(assetId)) return undefined;
      return left.has(assetId) ? 'no_permission' : 'not_found';
    });
  });
}

async function removableAmong(ctx: Ctx, ids: readonly string[]): Promise<Set<string>> {
  const session = requireUser(ctx.session);
  const own = await ownedAmong(ctx.db, session, ids);
  return own.union(await store.sharableAmong(ctx.db, session, ids));
}

/** The verdict of each id, in order; `again` when it was named before. */
function eachOnce(
  ids: readonly string[],
  again: BulkIdResult['error'],
  verdict: (id: string) => BulkIdResult['error'],
): BulkIdResult[] {
  const seen = new Set<string>();
  return ids.map((id) => {
    const error = seen.has(id) ? again : verdict(id);
    seen.add(id);
    return error ? { id, success: false, error } : { id, success: true };
  });
}

/** Puts every asset into every album that the caller may edit; the others are left out. */
export async function addAssetsToAlbums(ctx: Ctx, albumIds: string[], assetIds: string[]) {
  const session = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    const roles = await store.rolesIn(ctx.db, session.userId, albumIds);
    const editable = albumIds.filter((id) => isAtLeast(roles.get(id), 'editor'));
    const allowed = [...(await sharableAmong(ctx, assetIds))];
    if (editable.length === 0 || allowed.length === 0) {
      return { success: false, error: 'no_permission' as const };
    }
    let added = 0;
    // In one order, as everybody who writes to more than one.
    for (const id of [...new Set(editable)].toSorted()) {
      added += (await store.addAssets(ctx.db, id, allowed, session.userId)).size;
      await store.updateAlbum(ctx.db, id, { updatedAt: ctx.now() });
    }
    return added > 0 ? { success: true } : { success: false, error: 'duplicate' as const };
  });
}

export async function shareAlbum(ctx: Ctx, id: string, share: AlbumShare): Promise<Album> {
  return inTransaction(ctx, async (ctx) => {
    await requireRole(ctx, id, 'editor', 'album.share');
    await addMembers(ctx, id, share.albumUsers);
    return albumById(ctx, id);
  });
}

type NewMember = { readonly userId: string; readonly role?: 'editor' | 'viewer' };

/** Who is in the album already, its owner among them, stays what they are. */
async function addMembers(
  { db, session }: Ctx,
  id: string,
  wanted: readonly NewMember[],
): Promise<void> {
  const present = await store.accountsIn(db, id);
  const members = wanted
    .filter(({ userId }) => !present.has(userId))
    .map(({ userId, role = 'editor' }) => ({ userId, role }));
  if (members.length === 0) return;
  const active = await store.activeUserIds(
    db,
    members.map((member) => member.userId),
  );
  if (members.some((member) => !active.has(member.userId))) throw badRequest('User not found');
  await store.addMembers(db, id, members, requireUser(session).userId);
}

export async function setMemberRole(
  ctx: Ctx,
  id: string,
  member: string,
  role: 'editor' | 'viewer',
): Promise<void> {
  await requireRole(ctx, id, 'editor', 'album.share');
  const userId = idOf(ctx, member);
  if (await store.isOwner(ctx.db, id, userId)) throw badRequest('User is owner');
  if (!(await store.setRole(ctx.db, id, { userId, role }))) {
    throw badRequest('Album not shared with user');
  }
}

/**
 * Owner and editors remove anyone but the owner; everyone else removes only themselves. With a member go
 * the items of that account which somebody has put in who is no partner of it any more.
 */
export async function removeMember(ctx: Ctx, id: string, member: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  const memberId = idOf(ctx, member);
  await requireRole(ctx, id, memberId === userId ? 'viewer' : 'editor', 'album.share');
  await inTransaction(ctx, async ({ db }) => {
    // Also to the one who goes.
    await store.announceAlbum(db, id);
    if (!(await store.removeMember(db, id, memberId))) {
      const isOwner = await store.isOwner(db, id, memberId);
      throw badRequest(isOwner ? 'Cannot remove album owner' : 'Album not shared with user');
    }
    await removePartnerAssetsFromAlbums(db, { ownerId: memberId, albumId: id });
  });
}

const idOf = (ctx: Ctx, member: string) =>
  member === 'me' ? requireUser(ctx.session).userId : member;

export const albumStatistics = async (ctx: Ctx) =>
  store.countAlbums(ctx.db, requireUser(ctx.session).userId);

const RANK = { viewer: 1, editor: 2, owner: 3 } as const;

const isAtLeast = (role: store.AlbumRole | undefined, needed: store.AlbumRole) =>
  role !== undefined && RANK[role] >= RANK[needed];

/**
 * Returns the role. A link opens its own album for reading; an account needs the role. Unknown and
 * foreign read the same.
 */
async function requireRole(
  ctx: Ctx,
  id: string,
  needed: store.AlbumRole,
  permission: string,
): Promise<store.AlbumRole> {
  const { session } = ctx;
  if (session.kind === 'sharedLink') {
    if (session.albumId === id && needed === 'viewer') return 'viewer';
    throw noAccess(permission);
  }
  const role = (await store.rolesIn(ctx.db, session.userId, [id])).get(id);
  if (role === undefined || !isAtLeast(role, needed)) throw noAccess(permission);
  return role;
}

/** For whoever was found to hold a way into these albums. */
export async function albumsById(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Album>> {
  if (ids.length === 0) return new Map();
  const albums = await toAlbums(ctx, await store.findAlbums(ctx.db, ids));
  return new Map(albums.map((album) => [album.id, album]));
}

async function albumById(ctx: Ctx, id: string): Promise<Album> {
  const row = await store.findAlbum(ctx.db, id);
  if (!row) throw noAccess('album.read');
  const [album] = await toAlbums(ctx, [row]);
  if (!album) throw noAccess('album.read');
  // Guests do not learn who put in what.
  return album.shared && ctx.session.kind === 'user'
    ? { ...album, contributorCounts: await countByContributor(ctx.db, ctx.session, id) }
    : album;
}

async function toAlbums(ctx: Ctx, rows: readonly AlbumRow[]): Promise<Album[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const summaries = await summarize(ctx.db, ctx.session, ids);
  const linked = await store.linkedAmong(ctx.db, ids);
  const owners = await store.ownersOf(ctx.db, rows);
  const members = Map.groupBy(await store.membersOf(ctx.db, ids), (member) => member.albumId);
  // Guests see the album, not the names and addresses behind it.
  const isGuest = ctx.session.kind === 'sharedLink';
  return rows.map((row) => {
    const others = members.get(row.id) ?? [];
    const owner = owners.get(row.ownerId);
    return {
      ...summaryOf(summaries.get(row.id)),
      id: row.id,
      albumName: row.name,
      description: row.description,
      albumThumbnailAssetId: summaries.get(row.id)?.coverId ?? null,
      albumUsers: isGuest
        ? []
        : [
            ...(owner ? [{ role: 'owner' as const, user: toUser(owner) }] : []),
            ...others.map(({ role, user }) => ({ role, user: toUser(user) })),
          ],
      shared: others.length > 0 || linked.has(row.id),
      hasSharedLink: linked.has(row.id),
      isActivityEnabled: row.isActivityEnabled,
      order: row.sortOrder,
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    };
  });
}

function summaryOf(summary: AlbumSummary | undefined) {
  if (!summary) return { assetCount: 0 };
  const { assetCount, start, end, modified } = summary;
  return {
    assetCount,
    ...(start && { startDate: asInstant(start) }),
    ...(end && { endDate: asInstant(end) }),
    ...(modified && { lastModifiedAssetTimestamp: new Date(modified).toISOString() }),
  };
}

/** Clients show wall clocks as if they were UTC. */
const asInstant = (wallClock: string) => new Date(`${wallClock.replace(' ', 'T')}Z`).toISOString();
