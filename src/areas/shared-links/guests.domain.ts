import {
  addressSubject,
  attemptSucceeded,
  countAttempt,
  linkSubject,
} from '../../access/guesses.ts';
import { unlockToken } from '../../access/link-unlock.ts';
import { verifySecret } from '../../access/secrets.ts';
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
  const token = unlockToken({ id: row.id, passwordHash: row.passwordHash }, ctx.now());
  return { link: await shownLink({ ...ctx, session }, row), token };
}

/** What one address gets wrong slows it down; what all get wrong slows the link down. */
async function checkPassword(
  { db, now, log }: Ctx,
  { id, passwordHash }: store.LinkRow,
  password: string,
  address: string | undefined,
): Promise<void> {
  const forget = address === undefined ? [] : [linkSubject(id, address)];
  const shared = [linkSubject(id), ...(address === undefined ? [] : [addressSubject(address)])];
  await countAttempt(db, [...shared, ...forget], now());
  if (!(await verifySecret(password, passwordHash))) {
    log.warn('password of a shared link refused', { linkId: id, address });
    throw unauthorized('Invalid password');
  }
  await attemptSucceeded(db, { forget, shared }, now());
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
