import { requireValue } from '../../core/required.ts';
import {
  removePartnerAssetsFromLinks,
  removePartnerAssetsFromAlbums,
} from '../albums/contents/index.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, noAccess } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notify } from '../notifications/index.ts';
import { findUser, toUser } from '../users/index.ts';
import type { Direction, Partner, PartnerCreate, PartnerUpdate } from './schemas.ts';
import * as store from './store.ts';

export async function listPartners(ctx: Ctx, direction: Direction): Promise<Partner[]> {
  const { userId } = requireUser(ctx.session);
  return (await store.listPartners(ctx.db, userId, direction)).map(toPartner);
}

/** Shows the caller's Timeline to another account. */
export async function createPartner(
  ctx: Ctx,
  { sharedWithId, hidesPlaces = false, sharedFrom }: PartnerCreate,
): Promise<Partner> {
  const { userId } = requireUser(ctx.session);
  const viewer = await store.findActiveUser(ctx.db, sharedWithId);
  if (!viewer || viewer.id === userId) throw badRequest('User not found');
  const shown = { hidesPlaces, sharedFrom: sharedFrom ?? null };
  const partner = { sharerId: userId, viewerId: viewer.id, ...shown };
  await inTransaction(ctx, async ({ db, now }) => {
    if (!(await store.insertPartner(db, partner))) throw badRequest('Partner already exists');
    const name = (await findUser(db, userId))?.name ?? '';
    const event = {
      userId: viewer.id,
      kind: 'partnerShare',
      title: 'Shared Timeline',
      description: `${name} shares photos with you`,
      data: { senderId: userId, senderName: name },
      key: `partner-share ${userId}`,
    } as const;
    await notify(db, event, now());
  });
  return toPartner({ user: viewer, inTimeline: false, ...shown });
}

/**
 * Sets whether the caller shows the other account's items in the own Timeline (`inTimeline`), whether the caller
 * hides places from it (`hidesPlaces`), and since when the caller's items are shared (`sharedFrom`). Returns the
 * direction that was changed last. Throws 400 without a change or without a partnership in that direction.
 */
export async function updatePartner(
  ctx: Ctx,
  otherId: string,
  { inTimeline, ...shared }: PartnerUpdate,
): Promise<Partner> {
  const { userId } = requireUser(ctx.session);
  const isSharedChanged = Object.values(shared).some((value) => value !== undefined);
  if (inTimeline === undefined && !isSharedChanged) {
    throw badRequest('inTimeline, hidesPlaces or sharedFrom is required');
  }
  const user = await store.findActiveUser(ctx.db, otherId);
  if (!user) throw noAccess('partner.update');
  return inTransaction(ctx, async ({ db, now }) => {
    const change = async (pair: store.PartnerPair, values: store.PartnerChange) => {
      const row = await store.updatePartner(db, pair, values, now());
      if (!row) throw noAccess('partner.update');
      return toPartner({ user, ...row });
    };
    const shown = isSharedChanged
      ? await change({ sharerId: userId, viewerId: otherId }, shared)
      : undefined;
    if (shared.sharedFrom) {
      await removePartnerAssetsFromAlbums(db, { ownerId: userId, addedBy: otherId });
    }
    if (inTimeline === undefined) return requireValue(shown, 'partner');
    return change({ sharerId: otherId, viewerId: userId }, { inTimeline });
  });
}

/**
 * Stops sharing with `viewerId` and removes the caller's items from that account's links and albums. Items
 * in albums that both are in stay, unless their places were hidden: a member would see those.
 */
export async function removePartner(ctx: Ctx, viewerId: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  await inTransaction(ctx, async ({ db }) => {
    const ended = await store.deletePartner(db, { sharerId: userId, viewerId });
    if (!ended) throw badRequest('Partner not found');
    await removePartnerAssetsFromAlbums(db, {
      ownerId: userId,
      addedBy: viewerId,
      evenIfOwnerIsMember: ended.hidesPlaces,
    });
    await removePartnerAssetsFromLinks(db, { ownerId: userId, fromId: viewerId });
  });
}

const toPartner = ({ user, inTimeline, hidesPlaces, sharedFrom }: store.PartnerRow): Partner => ({
  ...toUser(user),
  inTimeline,
  hidesPlaces,
  ...(sharedFrom !== null && { sharedFrom }),
});
