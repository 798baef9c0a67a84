import type { Deps } from '../../core/context.ts';
import type { JobHandler } from '../../jobs/define.ts';
import type { MailMessageRow } from '../../db/tables/notifications.ts';
import { composeMail } from './compose.domain.ts';
import type { deliverMail } from './jobs.ts';
import type { MailSettings } from './schemas.ts';
import { readMailSettings } from './settings.domain.ts';
import { deleteMessagesBefore, saveAttempt, takeMessage } from './store.ts';
import { describeSmtpError, type Mail, sendMail } from './transport.ts';

const MINUTE_MS = 60_000;
/** Longer than any attempt: a process that ends in the middle of one does not stop the message for ever. */
const ATTEMPT_MS = 5 * MINUTE_MS;
/** Minutes from an attempt to the next; after the last one, a message is given up. */
const RETRY_MINUTES = [5, 60, 300, 1000];
const KEPT_DAYS = 90;

/** Sends what is due, one message after the other. A server that cannot be reached ends the run. */
export const handleDeliverMail: JobHandler<typeof deliverMail> = async (ctx) => {
  const settings = await readMailSettings(ctx.db);
  while (!ctx.signal.aborted) {
    const now = ctx.now();
    const message = await takeMessage(ctx.db, now, new Date(now.getTime() + ATTEMPT_MS));
    if (!message) break;
    ctx.restartTimeLimit();
    if ((await attempt(ctx, settings, message)) === 'unreachable') break;
  }
  const before = new Date(ctx.now().getTime() - KEPT_DAYS * 24 * 60 * MINUTE_MS);
  await deleteMessagesBefore(ctx.db, before);
};

async function attempt(
  deps: Deps,
  { smtp, ...settings }: MailSettings,
  message: MailMessageRow,
): Promise<'settled' | 'unreachable'> {
  const mail = smtp.enabled ? await composeMail(deps, { smtp, ...settings }, message) : undefined;
  if (!mail) {
    await saveAttempt(deps.db, message.id, { status: 'dropped' });
    return 'settled';
  }
  return send(deps, smtp, message, mail);
}

async function send(
  { db, now, log }: Deps,
  smtp: MailSettings['smtp'],
  { id, attempts, template }: MailMessageRow,
  mail: Mail,
): Promise<'settled' | 'unreachable'> {
  try {
    await sendMail(smtp, mail);
  } catch (error) {
    const words = describeSmtpError(error);
    const minutes = RETRY_MINUTES[attempts - 1];
    const next = new Date(now().getTime() + (minutes ?? 0) * MINUTE_MS);
    await saveAttempt(db, id, {
      error: words,
      ...(minutes === undefined ? { status: 'failed' } : { nextAttemptAt: next }),
    });
    log.warn(minutes === undefined ? 'mail given up' : 'mail not sent, retrying', {
      template,
      error: words,
    });
    // Without an answer of the server the next message would only wait for the same.
    return 'response' in (error as object) ? 'settled' : 'unreachable';
  }
  await saveAttempt(db, id, { status: 'sent', sentAt: now(), error: null });
  return 'settled';
}
