import { Type } from 'typebox';
import { enqueue } from '../../../jobs/queue.ts';
import { queueWorkflowMail } from '../../mail/index.ts';
import { readConfig } from '../../system-config/index.ts';
import { deliverWebhook } from '../jobs.ts';
import { parseTarget, resolveTarget } from '../webhooks/target.ts';
import { defineAction, OWN_PLUGIN } from './define.ts';
import { fillText, PLACEHOLDERS, requireKnownPlaceholders } from './name-template.ts';

const plugin = OWN_PLUGIN;

const webhook = defineAction({
  plugin,
  name: 'webhook',
  title: 'Webhook',
  description: 'Post what is known of the item to a host that the administrator has listed',
  permissions: [],
  undoable: false,
  config: Type.Object({
    url: Type.String({
      title: 'Address',
      description: 'As https://hooks.example.com/photos',
      format: 'uri',
      maxLength: 2_000,
    }),
    message: Type.Optional(
      Type.String({
        title: 'Message',
        description: `May contain ${PLACEHOLDERS}`,
        maxLength: 2_000,
      }),
    ),
  }),
  check: ({ message = '' }) => requireKnownPlaceholders(message, 'message'),
  async checkAccess({ db }, { url }) {
    const { hosts } = (await readConfig(db, 'webhooks')).webhooks;
    await resolveTarget(parseTarget(url, hosts), hosts);
  },
  async apply({ db, now, workflow, runId, stepIndex }, facts, { url, message }) {
    parseTarget(url, (await readConfig(db, 'webhooks')).webhooks.hosts);
    await enqueue(db, deliverWebhook, {
      id: `${runId}-${stepIndex}`,
      ownerId: workflow.ownerId,
      workflowId: workflow.id,
      assetId: facts.id,
      url,
      message: message === undefined ? null : fillText(message, facts),
      at: now().toISOString(),
    });
  },
});

const mail = defineAction({
  plugin,
  name: 'mail',
  title: 'Mail me',
  description: 'Send a message to my own address; many items in a short time are one message',
  permissions: [],
  undoable: false,
  config: Type.Object({
    subject: Type.Optional(
      Type.String({
        title: 'Subject',
        description: 'The name of the workflow if it is empty',
        maxLength: 200,
      }),
    ),
    message: Type.String({
      title: 'Message',
      description: `May contain ${PLACEHOLDERS}`,
      minLength: 1,
      maxLength: 2_000,
    }),
  }),
  check: ({ message }) => requireKnownPlaceholders(message, 'message'),
  async apply({ db, now, workflow, runId, stepIndex }, facts, { subject, message }) {
    const mail = {
      userId: workflow.ownerId,
      event: `${runId}-${stepIndex}`,
      step: `${workflow.id}-${stepIndex}`,
      subject: subject || workflow.name || 'Safelight',
      item: { assetId: facts.id, text: fillText(message, facts) },
    };
    await queueWorkflowMail(db, mail, now());
  },
});

export const sendingActions = [webhook, mail];
