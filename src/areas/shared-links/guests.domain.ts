import { createLinkAttempt, verifyThrottled } from '../../access/attempt-throttle.ts';
import { createUnlockToken } from '../../access/link-unlock.ts';
import type { SharedLinkSession } from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, forbidden, unauthorized } from '../../core/errors.ts';
import type { SharedLink } from './schemas.ts';
import * as store from './store.ts';
import { toLinks } from './view.ts';

/** The link that the caller came by. */
export async function myLink(ctx: Ctx): Promise<SharedLink> {
  return shownLink(ctx, await rowOf(ctx, asGuest(ctx)));
}

export type Unlocked = { readonly link: SharedLink; readonly token: string };

/** `address` is where the request comes from, if that is known. */
export async function enterPassword(
  ctx: Ctx,
  password: string,
  address: string | undefined,
): Promise<Unlocked> {
  const { needsPassword: _, ...session } = asGuest(ctx);
  const row = await rowOf(ctx, session);
  if (!row.passwordHash) throw badRequest('Shared link is not password protected');
  await checkPassword(ctx, row, password, address);
  const token = createUnlockToken({ id: row.id, passwordHash: row.passwordHash }, ctx.now());
  return { link: await shownLink({ ...ctx, session }, row), token };
}

async function checkPassword(
  ctx: Ctx,
  { id, passwordHash }: store.LinkRow,
  password: string,
  address: string | undefined,
): Promise<void> {
  if (!(await verifyThrottled(ctx, createLinkAttempt(id, address), password, passwordHash))) {
    ctx.log.warn('password of a shared link refused', { linkId: id, address });
    throw unauthorized('Invalid password');
  }
}

function asGuest({ session }: Ctx): SharedLinkSession {
  if (session.kind !== 'sharedLink') throw forbidden('Only through a shared link');
  return session;
}

async function rowOf({ db }: Ctx, { linkId }: SharedLinkSession): Promise<store.LinkRow> {
  const row = await store.findLink(db, linkId);
  // Deleted since it let the caller in.
  if (!row) throw unauthorized('Invalid share key');
  return row;
}

async function shownLink(ctx: Ctx, row: store.LinkRow): Promise<SharedLink> {
  const [link] = await toLinks(ctx, [row]);
  return link!;
}
