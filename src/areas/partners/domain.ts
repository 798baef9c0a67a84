import { withdrawFromAlbums } from '../../access/albums.ts';
import { asUser } from '../../access/scope.ts';
import { type Ctx, inTransaction } from '../../core/context.ts';
import { badRequest, noAccess } from '../../core/errors.ts';
import { toUser } from '../users/index.ts';
import type { Direction, Partner } from './schemas.ts';
import * as store from './store.ts';

export async function listPartners(ctx: Ctx, direction: Direction): Promise<Partner[]> {
  const { userId } = asUser(ctx.session);
  return (await store.listPartners(ctx.db, userId, direction)).map(toPartner);
}

/** Shows the caller's Timeline to another account. */
export async function createPartner(ctx: Ctx, sharedWithId: string): Promise<Partner> {
  const { userId } = asUser(ctx.session);
  const viewer = await store.findActiveUser(ctx.db, sharedWithId);
  if (!viewer || viewer.id === userId) throw badRequest('User not found');
  const pair = { sharerId: userId, viewerId: viewer.id };
  if (!(await store.insertPartner(ctx.db, pair))) throw badRequest('Partner already exists');
  return toPartner({ user: viewer, inTimeline: false });
}

/** Whether the caller mixes what this account shares into the own Timeline. */
export async function updatePartner(
  ctx: Ctx,
  sharerId: string,
  inTimeline: boolean,
): Promise<Partner> {
  const { userId } = asUser(ctx.session);
  const pair = { sharerId, viewerId: userId };
  const sharer = await store.findActiveUser(ctx.db, sharerId);
  const isKnown = sharer && (await store.setInTimeline(ctx.db, pair, inTimeline, ctx.now()));
  if (!isKnown) throw noAccess('partner.update');
  return toPartner({ user: sharer, inTimeline });
}

/** Ends what the caller shares with this account, also where it has put the caller's items since. */
export async function removePartner(ctx: Ctx, viewerId: string): Promise<void> {
  const { userId } = asUser(ctx.session);
  await inTransaction(ctx, async ({ db }) => {
    if (!(await store.deletePartner(db, { sharerId: userId, viewerId }))) {
      throw badRequest('Partner not found');
    }
    await withdrawFromAlbums(db, { ownerId: userId, fromId: viewerId });
  });
}

const toPartner = ({ user, inTimeline }: store.PartnerRow): Partner => ({
  ...toUser(user),
  inTimeline,
});
