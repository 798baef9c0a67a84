import { requireForOthersItems } from '../../access/others-items.ts';
import { SHARED } from '../../access/permissions.ts';
import { requireUser } from '../../access/scope.ts';
import { badRequest } from '../../core/errors.ts';
import type { Ctx } from '../../core/context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notifyInvited } from './invitation.domain.ts';
import { removePartnerAssetsFromAlbums } from './contents/contents.store.ts';
import { requireRole } from './roles.domain.ts';
import type { Album, AlbumShare } from './schemas.ts';
import * as store from './store.ts';
import type { AlbumRole } from './store.ts';
import { getAlbumById } from './view.domain.ts';

export async function shareAlbum(ctx: Ctx, id: string, share: AlbumShare): Promise<Album> {
  const session = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    await requireRole(ctx, id, 'editor', 'album.share');
    await requireForOthersItems(ctx.db, session, SHARED, { albumId: id });
    for (const { role } of share.albumUsers) requireAssignable(role);
    await addMembers(ctx, id, share.albumUsers);
    return getAlbumById(ctx, id);
  });
}

type NewMember = { readonly userId: string; readonly role?: AlbumRole };

/** Adds members; skips the owner and present members. */
export async function addMembers(
  { db, session, now }: Ctx,
  id: string,
  wanted: readonly NewMember[],
): Promise<void> {
  const present = await store.listAccountIds(db, id);
  const members = wanted
    .filter(({ userId }) => !present.has(userId))
    .map(({ userId, role = 'editor' }) => ({ userId, role: requireAssignable(role) }));
  if (members.length === 0) return;
  const active = await store.filterActiveUsers(
    db,
    members.map((member) => member.userId),
  );
  if (members.some((member) => !active.has(member.userId))) throw badRequest('Invalid user');
  const { userId } = requireUser(session);
  const added = await store.addMembers(db, id, members, userId);
  await notifyInvited(db, { albumId: id, senderId: userId, added }, now());
}

export async function setMemberRole(
  ctx: Ctx,
  id: string,
  member: string,
  role: AlbumRole,
): Promise<void> {
  await requireRole(ctx, id, 'editor', 'album.share');
  const userId = resolveMemberId(ctx, member);
  if (await store.isOwner(ctx.db, id, userId)) throw badRequest('User is owner');
  if (!(await store.updateRole(ctx.db, id, { userId, role: requireAssignable(role) }))) {
    throw badRequest('Album not shared with user');
  }
}

/**
 * Removes a member: owner and editors anyone but the owner, viewers only themselves. Also removes the
 * member's items that former partners have added.
 */
export async function removeMember(ctx: Ctx, id: string, member: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  const memberId = resolveMemberId(ctx, member);
  await requireRole(ctx, id, memberId === userId ? 'viewer' : 'editor', 'album.share');
  await inTransaction(ctx, async ({ db }) => {
    // Before the removal, so that the removed member is notified too.
    await store.announceAlbum(db, id);
    if (!(await store.removeMember(db, id, memberId))) {
      const isOwner = await store.isOwner(db, id, memberId);
      throw badRequest(
        isOwner ? 'Cannot remove the last album owner' : 'Album not shared with user',
      );
    }
    await removePartnerAssetsFromAlbums(db, { ownerId: memberId, albumId: id });
  });
}

/** Ownership cannot be transferred. Clients that copy an album name its owner, who is a member already. */
function requireAssignable<R extends AlbumRole | undefined>(role: R): Exclude<R, 'owner'> {
  if (role === 'owner') throw badRequest('Cannot add another owner');
  return role as Exclude<R, 'owner'>;
}

const resolveMemberId = (ctx: Ctx, member: string) =>
  member === 'me' ? requireUser(ctx.session).userId : member;
