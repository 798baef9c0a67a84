import type { Db } from '../../db/client.ts';
import type { MailTemplate } from '../../db/tables/notifications.ts';
import { enqueue } from '../../jobs/queue.ts';
import { deliverMail } from './jobs.ts';
import { isMailEnabled } from './settings.domain.ts';
import { insertMessage } from './store.ts';

export type MailEvent = {
  /** The event, as 'album-invite <album> <user>': one message for it, ever. */
  readonly key: string;
  readonly userId: string;
  readonly template: MailTemplate;
  /** Ids that the template is filled from when it is sent: `albumId`, `senderId`. */
  readonly data?: Readonly<Record<string, string>>;
};

/**
 * Queues a message, unless no mail server is set up. Call it with the transaction of the event: both commit
 * or neither does.
 */
export async function queueMail(
  db: Db,
  { key, userId, template, data = {} }: MailEvent,
  now: Date,
): Promise<void> {
  if (!(await isMailEnabled(db))) return;
  const isNew = await insertMessage(db, { key, userId, template, data, now });
  if (isNew) await enqueue(db, deliverMail, {});
}
