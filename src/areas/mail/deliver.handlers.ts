import type { Deps } from '../../core/context.ts';
import type { JobCtx, JobHandler } from '../../jobs/define.ts';
import type { MailMessageRow } from '../../db/tables/notifications.ts';
import { composeMail } from './compose.domain.ts';
import type { deliverMail } from './jobs.ts';
import type { MailSettings } from './schemas.ts';
import { readMailSettings } from './settings.domain.ts';
import { deleteMessagesBefore, saveAttempt, takeMessage } from './store.ts';
import {
  classifySmtpError,
  describeSmtpError,
  type Mail,
  MAX_CONNECTIONS,
  openSmtp,
  SEND_TIMEOUT_MS,
  type SmtpClient,
} from './transport.ts';

const MINUTE_MS = 60_000;
/** A process that ends in the middle of an attempt does not stop the message for ever. */
const ATTEMPT_MS = SEND_TIMEOUT_MS + MINUTE_MS;
/** Minutes from an attempt to the next; after the last one, a message is given up. */
const RETRY_MINUTES = [5, 60, 300, 1000];
/** A server that defers so many in a row is to be left alone for a while, as when it limits their rate. */
const MAX_DEFERRALS = 10;
const KEPT_DAYS = 90;

/** Sends what is due, a few messages at a time. A server that cannot be reached ends the run. */
export const handleDeliverMail: JobHandler<typeof deliverMail> = async (ctx) => {
  const settings = await readMailSettings(ctx.db);
  const client = openSmtp(settings.smtp);
  const next = () => (ctx.signal.aborted ? 'none' : deliverNext(ctx, settings, client));
  try {
    // One at first: a server that is gone costs one attempt of one message.
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
};

/** 'answered': the server has taken the message or refused it for good; 'none': nothing is due. */
type Outcome = 'answered' | 'deferred' | 'dropped' | 'unreachable' | 'none';

async function deliverNext(
  ctx: JobCtx,
  settings: MailSettings,
  client: SmtpClient,
): Promise<Outcome> {
  const now = ctx.now();
  const message = await takeMessage(ctx.db, now, new Date(now.getTime() + ATTEMPT_MS));
  if (!message) return 'none';
  ctx.restartTimeLimit();
  const mail = settings.smtp.enabled ? await composeMail(ctx, settings, message) : undefined;
  if (mail) return send(ctx, client, message, mail);
  await saveAttempt(ctx.db, message.id, { status: 'dropped' });
  return 'dropped';
}

async function send(
  { db, now, log }: Deps,
  client: SmtpClient,
  { id, attempts, template }: MailMessageRow,
  mail: Mail,
): Promise<Outcome> {
  try {
    await client.send(mail);
  } catch (error) {
    const words = describeSmtpError(error);
    const kind = classifySmtpError(error);
    const minutes = kind === 'refused' ? undefined : RETRY_MINUTES[attempts - 1];
    const next = new Date(now().getTime() + (minutes ?? 0) * MINUTE_MS);
    await saveAttempt(db, id, {
      error: words,
      ...(minutes === undefined ? { status: 'failed' } : { nextAttemptAt: next }),
    });
    log.warn(minutes === undefined ? 'mail given up' : 'mail not sent, retrying', {
      template,
      error: words,
    });
    return kind === 'refused' ? 'answered' : kind;
  }
  await saveAttempt(db, id, { status: 'sent', sentAt: now(), error: null });
  return 'answered';
}
