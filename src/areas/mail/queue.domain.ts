import { badRequest } from '../../core/errors.ts';
import type { Db } from '../../db/client.ts';
import type { MailTemplate } from '../../db/tables/notifications.ts';
import { enqueue } from '../../jobs/queue.ts';
import { deliverMail } from './jobs.ts';
import { isMailEnabled } from './settings.domain.ts';
import { insertMessage } from './store.ts';
import { addItem, lockStep, type WorkflowMailItem } from './workflow-mail.store.ts';

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

export type WorkflowMail = {
  readonly userId: string;
  /** Run and index of the step: one message for it, ever. */
  readonly event: string;
  /** Workflow and index of the step: its items are one message for as long as it has not been sent. */
  readonly step: string;
  readonly subject: string;
  readonly item: WorkflowMailItem;
};

/** The first item of a message waits for more. */
const WAIT_MS = 60_000;

/** Queues what a step of a workflow says of an item. Throws 400 if no mail server is set up. */
export async function queueWorkflowMail(
  db: Db,
  { userId, event, step, subject, item }: WorkflowMail,
  now: Date,
): Promise<void> {
  if (!(await isMailEnabled(db))) throw badRequest('No mail server is set up');
  await lockStep(db, step);
  if (await addItem(db, userId, step, { item, now })) return;
  const key = `workflow ${event}`;
  const data = { step, subject, items: [item], count: 1 };
  const sendAt = new Date(now.getTime() + WAIT_MS);
  await insertMessage(db, { key, userId, template: 'workflow', data, now, sendAt });
}
