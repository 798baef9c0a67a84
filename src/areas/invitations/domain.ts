import { countFailure, createInvitationLane } from '../../access/attempt-throttle.ts';
import { requireUser } from '../../access/scope.ts';
import { hashSecret } from '../../access/secrets.ts';
import type { Ctx, Deps } from '../../core/context.ts';
import { AppError, badRequest, invalidField, notFound } from '../../core/errors.ts';
import { newSecret, sha256 } from '../../core/hash.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { inTransaction } from '../../db/transaction.ts';
import { chooseColor, insertUser } from '../admin-users/index.ts';
import { type Login, openSession, type readDevice } from '../auth/index.ts';
import { readExternalDomain, sendInvitationMail } from '../mail/index.ts';
import { readConfig } from '../system-config/index.ts';
import { findUser } from '../users/index.ts';
import type {
  Invitation,
  InvitationAccept,
  InvitationCreate,
  NewInvitation,
  OpenInvitation,
} from './schemas.ts';
import * as store from './store.ts';

const DAY_MS = 24 * 3600 * 1000;

export async function listInvitations({ db, now }: Ctx): Promise<Invitation[]> {
  return (await store.listOpen(db, now())).map(toInvitation);
}

/**
 * Makes an invitation and returns its token, which is kept nowhere: the mail is sent at once and not queued. If
 * the mail server refuses, the invitation stays and its link can be passed on by hand.
 */
export async function createInvitation(ctx: Ctx, input: InvitationCreate): Promise<NewInvitation> {
  const { userId } = requireUser(ctx.session);
  await requirePasswordLogin(ctx);
  const page = input.sendMail ? await readExternalDomain(ctx.db) : '';
  if (input.sendMail && page === '') {
    throw invalidField('sendMail', 'The address of the page is not set: see the mail settings');
  }
  const inviter = await findUser(ctx.db, userId);
  if (!inviter) throw notFound('Account');
  const token = newSecret();
  const row = await insert(ctx, input, { token, userId });
  const made = { ...toInvitation({ invitation: row, inviterName: inviter.name }), token };
  if (!input.sendMail) return { ...made, mail: 'none' };
  const mailError = await sendInvitationMail(ctx, {
    id: row.id,
    to: row.email,
    displayName: row.name,
    senderName: inviter.name,
    url: `${page}/invitation#${token}`,
    expiresAt: row.expiresAt,
    language: row.language ?? inviter.language,
  });
  return mailError === undefined
    ? { ...made, mail: 'sent' }
    : { ...made, mail: 'failed', mailError };
}

type Created = { readonly token: string; readonly userId: string };

/** Throws 400 when the address has an account or an invitation. */
async function insert(ctx: Ctx, input: InvitationCreate, { token, userId }: Created) {
  const email = input.email.toLowerCase();
  return keepLimit(ctx, 'invitation', { ownerId: userId }, async ({ db, now }) => {
    await store.deleteExpired(db, now());
    if (await store.hasAccount(db, email)) {
      throw invalidField('email', 'This address belongs to an account');
    }
    const row = await store.insertInvitation(db, {
      tokenHash: sha256(token),
      inviterId: userId,
      email,
      name: input.name,
      quotaBytes: input.quotaSizeInBytes ?? null,
      language: input.language ?? null,
      createdAt: now(),
      expiresAt: new Date(now().getTime() + input.expiresInDays * DAY_MS),
    });
    if (!row) throw invalidField('email', 'This address is invited already: revoke it first');
    return row;
  });
}

/** Ends an invitation: its link leads nowhere from now on. */
export async function revokeInvitation({ db }: Ctx, id: string): Promise<void> {
  if (!(await store.deleteInvitation(db, id))) throw notFound('Invitation');
}

/** Returns what the page of a link shows. Throws 404 for a token that is wrong, used, revoked or expired. */
export async function openInvitation(
  deps: Deps,
  token: string,
  address: string | undefined,
): Promise<OpenInvitation> {
  const { invitation, inviterName } = await requireOpen(deps, token, address);
  const { email, name, expiresAt } = invitation;
  return { email, name, inviterName, expiresAt: expiresAt.toISOString() };
}

export type Visitor = {
  readonly address: string | undefined;
  readonly device: ReturnType<typeof readDevice>;
};

/** Makes the account and starts its first session. Of several who accept at once, one gets it. */
export async function acceptInvitation(
  deps: Deps,
  { token, name, password }: InvitationAccept,
  { address, device }: Visitor,
): Promise<Login> {
  await requirePasswordLogin(deps);
  await requireOpen(deps, token, address);
  const passwordHash = await hashSecret(password);
  return inTransaction(deps, async (deps) => {
    // Again: hashing takes long.
    const open = await store.findOpen(deps.db, sha256(token), deps.now());
    if (!open || !(await store.deleteInvitation(deps.db, open.invitation.id))) {
      throw createInvalidInvitationError();
    }
    const { email, quotaBytes, language } = open.invitation;
    // An account that was made meanwhile reads like a used invitation.
    if (await store.hasAccount(deps.db, email)) throw createInvalidInvitationError();
    const user = await insertUser(deps.db, {
      email,
      name,
      passwordHash,
      quotaBytes,
      language,
      avatarColor: chooseColor(email),
    });
    return openSession(deps, user, device);
  });
}

async function requireOpen(
  { db, now }: Deps,
  token: string,
  address: string | undefined,
): Promise<store.OpenInvitationRow> {
  const open = await store.findOpen(db, sha256(token), now());
  if (open) return open;
  if (address) await countFailure(db, createInvitationLane(address), now());
  throw createInvalidInvitationError();
}

const createInvalidInvitationError = () =>
  new AppError('notFound', 'This invitation is not valid any more', { code: 'invitation_invalid' });

async function requirePasswordLogin({ db }: Pick<Deps, 'db'>): Promise<void> {
  const { passwordLogin } = await readConfig(db, 'passwordLogin');
  if (!passwordLogin.enabled) throw badRequest('Password login has been disabled');
}

const toInvitation = ({ invitation, inviterName }: store.OpenInvitationRow): Invitation => ({
  id: invitation.id,
  email: invitation.email,
  name: invitation.name,
  inviterName,
  quotaSizeInBytes: invitation.quotaBytes,
  createdAt: invitation.createdAt.toISOString(),
  expiresAt: invitation.expiresAt.toISOString(),
});
