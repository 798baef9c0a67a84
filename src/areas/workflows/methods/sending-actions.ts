import { Type } from 'typebox';
import { enqueue } from '../../../jobs/queue.ts';
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
  async apply({ db, now, workflow, stepId }, facts, { url, message }) {
    parseTarget(url, (await readConfig(db, 'webhooks')).webhooks.hosts);
    await enqueue(db, deliverWebhook, {
      id: stepId,
      ownerId: workflow.ownerId,
      workflowId: workflow.id,
      assetId: facts.id,
      url,
      message: message === undefined ? null : fillText(message, facts),
      at: now().toISOString(),
    });
  },
});

export const sendingActions = [webhook];
