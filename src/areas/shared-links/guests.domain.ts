import { createLinkAttempt, verifyThrottled } from '../../access/attempt-throttle.ts';
import { createUnlockToken } from '../../access/link-unlock.ts';
import type { SharedLinkSession } from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, forbidden, unauthorized } from '../../core/errors.ts';
import { getFirst } from '../../core/required.ts';
import { countLinkUse } from '../link-uses/index.ts';
import type { SharedLink } from './schemas.ts';
import * as store from './store.ts';
import { toLinks } from './view.ts';

/** Returns the link of the caller's session. Throws 403 for an account. */
export async function getMyLink(ctx: Ctx): Promise<SharedLink> {
  const link = await toGuestLink(ctx, await getLinkRow(ctx, requireGuest(ctx)));
  await countLinkUse(ctx, 'opened');
  return link;
}

/** Returns who shares the link of the caller's session. Throws 403 for an account. */
export async function getLinkOwner(ctx: Ctx): Promise<{ name: string }> {
  const owner = await store.findLinkOwner(ctx.db, requireGuest(ctx).linkId);
  if (!owner) throw unauthorized('Invalid share key');
  return owner;
}

export type UnlockedLink = { readonly link: SharedLink; readonly token: string };

/** Returns the link and an unlock token. Throws 401 for a wrong password and 429 for too many. `address`: IP of the client. */
export async function unlockLink(
  ctx: Ctx,
  password: string,
  address: string | undefined,
): Promise<UnlockedLink> {
  const { needsPassword: _, ...session } = requireGuest(ctx);
  const row = await getLinkRow(ctx, session);
  if (!row.passwordHash) throw badRequest('Shared link is not password protected');
  await checkPassword(ctx, row, password, address);
  const token = createUnlockToken({ id: row.id, passwordHash: row.passwordHash }, ctx.now());
  return { link: await toGuestLink({ ...ctx, session }, row), token };
}

async function checkPassword(
  ctx: Ctx,
  { id, passwordHash }: store.LinkRow,
  password: string,
  address: string | undefined,
): Promise<void> {
  if (!(await verifyThrottled(ctx, createLinkAttempt(id, address), password, passwordHash))) {
    ctx.log.warn('shared link password refused', { linkId: id, address });
    throw unauthorized('Invalid password');
  }
}

function requireGuest({ session }: Ctx): SharedLinkSession {
  if (session.kind !== 'sharedLink') throw forbidden('Forbidden');
  return session;
}

async function getLinkRow({ db }: Ctx, { linkId }: SharedLinkSession): Promise<store.LinkRow> {
  const row = await store.findLink(db, linkId);
  // Deleted since authentication.
  if (!row) throw unauthorized('Invalid share key');
  return row;
}

const toGuestLink = async (ctx: Ctx, row: store.LinkRow): Promise<SharedLink> =>
  getFirst(await toLinks(ctx, [row]));
