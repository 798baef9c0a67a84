import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, noAccess } from '../../core/errors.ts';
import type { UserRow } from '../../db/tables/identity.ts';
import type { ClusterGroupRequestRow } from '../../db/tables/people.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../jobs/queue.ts';
import { notify } from '../notifications/index.ts';
import { reclusterAll } from '../people/index.ts';
import { createUnknownUserError, findUser, lockUser, toUser, type User } from '../users/index.ts';
import type { ClusterGroupRequest, ClusterGroupRequestCreate } from './schemas.ts';
import * as store from './store.ts';

// Every account is in one group, at first in one of its own. Merging people merges the same people in the
// other accounts of the group (people/corrections/merge.domain.ts). For all others a group does not exist.

/** Returns the invitations that wait for the caller's answer. */
export async function listOwnRequests(ctx: Ctx): Promise<ClusterGroupRequest[]> {
  const { userId } = requireUser(ctx.session);
  return (await store.listRequests(ctx.db, { userId })).map(toRequest);
}

export async function listGroupRequests(
  ctx: Ctx,
  clusterGroupId: string,
): Promise<ClusterGroupRequest[]> {
  await requireReadable(ctx, clusterGroupId);
  return (await store.listRequests(ctx.db, { clusterGroupId })).map(toRequest);
}

export async function listMembers(ctx: Ctx, clusterGroupId: string): Promise<User[]> {
  await requireReadable(ctx, clusterGroupId);
  const { userId } = requireUser(ctx.session);
  return (await store.listMembers(ctx.db, { clusterGroupId, userId })).map(toUser);
}

/** Invites an account into the caller's group and notifies it, unless it is invited already. */
export function createRequest(
  ctx: Ctx,
  groupId: string,
  { userId: invited }: ClusterGroupRequestCreate,
): Promise<{ readonly request: ClusterGroupRequest; readonly isNew: boolean }> {
  return inTransaction(ctx, async (ctx) => {
    const { db, now } = ctx;
    const me = await lockMember(ctx, groupId, 'clusterGroupRequest.create');
    const userId = invited.toLowerCase();
    if (userId === me.id) throw badRequest('Cannot request to join your own cluster group');
    if (!(await findUser(db, userId))) throw createUnknownUserError();
    const { clusterGroupId } = me;
    const made = await store.insertRequest(db, { clusterGroupId, userId, createdAt: now() });
    if (made.isNew) {
      const event = {
        userId,
        kind: 'clusterGroupRequest',
        title: 'Cluster Group Request',
        description: `${me.name} asked you to join their cluster group`,
        data: { clusterGroupId, senderId: me.id, senderName: me.name },
        key: `clusterGroupRequest ${clusterGroupId}`,
      } as const;
      await notify(db, event, now());
    }
    return { request: toRequest(made.request), isNew: made.isNew };
  });
}

/** Moves the caller into the group that has invited it. */
export async function acceptRequest(ctx: Ctx, id: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  await inTransaction(ctx, async ({ db, now }) => {
    await lockUser(db, userId);
    const request = await store.takeRequest(db, id, userId);
    if (!request) throw noAccess('clusterGroupRequest.read');
    await store.moveAccount(db, userId, now(), request.clusterGroupId);
  });
}

/** Declines an invitation to the caller, or withdraws one of the caller's group. */
export async function deleteRequest(ctx: Ctx, id: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  const isDeleted = await store.deleteRequest(ctx.db, id, userId);
  if (!isDeleted) throw noAccess('clusterGroupRequest.delete');
}

/** Moves the caller into a new group. What was merged while it was a member stays, and can be undone. */
export async function leaveGroup(ctx: Ctx, groupId: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { id, clusterGroupId } = await lockMember(ctx, groupId, 'clusterGroup.leave');
    if (!(await store.hasOtherMembers(ctx.db, clusterGroupId, id))) {
      throw badRequest('Cannot leave a cluster group without any other members');
    }
    await store.moveAccount(ctx.db, id, ctx.now());
  });
}

/** Groups the faces of all members anew, but those that somebody has assigned. */
export async function regeneratePeople(ctx: Ctx, groupId: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    // Immich asks for no more than an invitation; work on the photos of others is for members.
    const { clusterGroupId } = await lockMember(ctx, groupId, 'clusterGroup.read');
    await enqueue(ctx.db, reclusterAll, { clusterGroupId });
  });
}

/** Returns the caller's account, locked in this group until the transaction ends. */
async function lockMember(ctx: Ctx, groupId: string, permission: string): Promise<UserRow> {
  const me = await lockUser(ctx.db, requireUser(ctx.session).userId);
  if (me?.clusterGroupId !== groupId.toLowerCase()) throw noAccess(permission);
  return me;
}

/** Members may read a group, and who is invited: before the answer it is good to know into what. */
async function requireReadable(ctx: Ctx, groupId: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  const id = groupId.toLowerCase();
  const me = await findUser(ctx.db, userId);
  if (me?.clusterGroupId === id) return;
  const invitations = await store.listRequests(ctx.db, { userId });
  if (!invitations.some(({ clusterGroupId }) => clusterGroupId === id)) {
    throw noAccess('clusterGroup.read');
  }
}

const toRequest = ({
  id,
  clusterGroupId,
  userId,
  createdAt,
}: ClusterGroupRequestRow): ClusterGroupRequest => ({
  id,
  clusterGroupId,
  userId,
  createdAt: createdAt.toISOString(),
});
