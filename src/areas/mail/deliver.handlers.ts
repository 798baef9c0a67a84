import type { Deps } from '../../core/context.ts';
import type { JobCtx, JobHandler } from '../../jobs/define.ts';
import type { MailMessageRow } from '../../db/tables/notifications.ts';
import { composeMail, type FindMailAlbum } from './compose.domain.ts';
import type { deliverMail } from './jobs.ts';
import type { MailSettings } from './schemas.ts';
import { readMailSettings } from './settings.domain.ts';
import { deleteMessagesBefore, saveAttempt, takeMessage } from './store.ts';
import {
  classifySmtpError,
  describeSmtpError,
  isAnswered,
  type Mail,
  MAX_CONNECTIONS,
  openSmtp,
  SEND_TIMEOUT_MS,
  type SmtpClient,
} from './transport.ts';

const MINUTE_MS = 60_000;
/**
 * Lease of a message. When a process ends after the server has taken a message and before that is recorded, it
 * is sent again after this time, with the same Message-ID.
 */
const LEASE_MS = SEND_TIMEOUT_MS + MINUTE_MS;
const FIRST_PAUSE_MS = 5 * MINUTE_MS;
/** From the end of the first attempt to the last one. */
const RETRY_MS = 1365 * MINUTE_MS;
/** A server that defers so many in a row is to be left alone for a while, as when it limits their rate. */
const MAX_DEFERRALS = 10;
const KEPT_DAYS = 90;

/**
 * Returns the handler that sends what is due, a few messages at a time. A server that cannot be reached ends
 * the run. `findAlbum` is the albums' part: they queue mail, and this area knows none of its senders.
 */
export const createDeliverHandler =
  (findAlbum: FindMailAlbum): JobHandler<typeof deliverMail> =>
  (ctx) =>
    deliverMessages(ctx, findAlbum);

async function deliverMessages(ctx: JobCtx, findAlbum: FindMailAlbum): Promise<void> {
  const settings = await readMailSettings(ctx.db);
  const client = openSmtp(settings.smtp);
  const next = () =>
    ctx.signal.aborted ? 'none' : deliverNext(ctx, { settings, findAlbum }, client);
  try {
    // The first message is sent alone: an unreachable server ends the run before others are tried.
    let outcome = await next();
    while (outcome === 'dropped') outcome = await next();
    let isOver = outcome === 'none' || outcome === 'unreachable';
    let deferrals = 0;
    const deliver = async () => {
      while (!isOver) {
        const outcome = await next();
        if (outcome === 'deferred') deferrals++;
        if (outcome === 'answered') deferrals = 0;
        isOver ||= outcome === 'none' || outcome === 'unreachable' || deferrals >= MAX_DEFERRALS;
      }
    };
    await Promise.all(Array.from({ length: MAX_CONNECTIONS }, deliver));
  } finally {
    client.close();
  }
  const before = new Date(ctx.now().getTime() - KEPT_DAYS * 24 * 60 * MINUTE_MS);
  await deleteMessagesBefore(ctx.db, before);
}

/** 'answered': the server has taken the message or refused it for good; 'none': nothing is due. */
type Outcome = 'answered' | 'deferred' | 'dropped' | 'unreachable' | 'none';

async function deliverNext(
  ctx: JobCtx,
  sources: { readonly settings: MailSettings; readonly findAlbum: FindMailAlbum },
  client: SmtpClient,
): Promise<Outcome> {
  const now = ctx.now();
  const message = await takeMessage(ctx.db, now, new Date(now.getTime() + LEASE_MS));
  if (!message) return 'none';
  ctx.restartTimeLimit();
  const mail = sources.settings.smtp.enabled ? await composeMail(ctx, sources, message) : undefined;
  if (mail) return send(ctx, client, message, mail);
  await saveAttempt(ctx.db, message.id, { status: 'dropped', now: ctx.now(), isCounted: false });
  return 'dropped';
}

async function send(
  { db, now, log }: Deps,
  client: SmtpClient,
  { id, template, firstAttemptAt }: MailMessageRow,
  mail: Mail,
): Promise<Outcome> {
  try {
    await client.send(mail);
  } catch (error) {
    const words = describeSmtpError(error);
    const kind = classifySmtpError(error);
    const next = kind === 'refused' ? undefined : getNextAttempt(firstAttemptAt ?? now(), now());
    await saveAttempt(db, id, {
      error: words,
      ...(next ? { nextAttemptAt: next } : { status: 'failed' }),
      now: now(),
      isCounted: isAnswered(error),
    });
    log.warn(next ? 'mail not sent, retrying' : 'mail given up', { template, error: words });
    return kind === 'refused' ? 'answered' : kind;
  }
  const sentAt = now();
  await saveAttempt(db, id, { status: 'sent', sentAt, error: null, now: sentAt, isCounted: true });
  return 'answered';
}

/** Returns when a message is tried again: the pauses double. Undefined: it is given up, after most of a day. */
function getNextAttempt(first: Date, now: Date): Date | undefined {
  const elapsed = now.getTime() - first.getTime();
  if (elapsed >= RETRY_MS) return undefined;
  return new Date(
    first.getTime() + Math.min(RETRY_MS, elapsed + Math.max(FIRST_PAUSE_MS, elapsed)),
  );
}
