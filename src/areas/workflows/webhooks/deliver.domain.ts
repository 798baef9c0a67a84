import { LRUCache } from 'lru-cache';
import { findAccountSession } from '../../../access/account-session.ts';
import type { Deps } from '../../../core/context.ts';
import { getErrorMessage } from '../../../core/log.ts';
import { VERSION } from '../../../core/version.ts';
import type { Db } from '../../../db/client.ts';
import type { JobPayload } from '../../../jobs/define.ts';
import { notify } from '../../notifications/index.ts';
import { readConfig } from '../../system-config/index.ts';
import type { deliverWebhook } from '../jobs.ts';
import type { Facts } from '../runs/facts.ts';
import { readFacts } from '../runs/facts.store.ts';
import { findWorkflow } from '../store.ts';
import { post } from './request.ts';
import { parseTarget, resolveTarget } from './target.ts';

type Delivery = JobPayload<typeof deliverWebhook>;

/** Time in which a host that did not answer is not asked again: others wait behind it. */
const SILENCE_MS = 30_000;
const silentHosts = new LRUCache<string, true>({ max: 1000, ttl: SILENCE_MS });

/**
 * Sends a webhook, unless its workflow is gone or switched off, or the owner does not see the item any
 * more. Throws if the host is not listed any more or does not take it.
 */
export async function sendWebhook(
  deps: Deps,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<void> {
  const body = await composeBody(deps, delivery);
  if (body === undefined) return;
  const { hosts, secret } = (await readConfig(deps.db, 'webhooks')).webhooks;
  const url = parseTarget(delivery.url, hosts);
  if (silentHosts.has(url.host)) throw new Error(`${url.host} did not answer a moment ago`);
  const addresses = await resolveTarget(url, hosts);
  const headers = signHeaders(delivery.id, body, { secret, now: deps.now() });
  const status = await post({ url, addresses, headers, body, signal }).catch((error: unknown) => {
    if (!signal.aborted) silentHosts.set(url.host, true);
    throw error;
  });
  if (status < 200 || status > 299) throw new Error(`${url.host} has answered ${status}`);
}

function signHeaders(
  id: string,
  body: string,
  { secret, now }: { readonly secret: string; readonly now: Date },
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signed = new Bun.CryptoHasher('sha256', secret).update(`${timestamp}.${body}`);
  return {
    'content-type': 'application/json',
    'user-agent': `Safelight/${VERSION}`,
    'x-safelight-delivery': id,
    'x-safelight-timestamp': timestamp,
    'x-safelight-signature': `sha256=${signed.digest('hex')}`,
  };
}

/** Returns the message as JSON; undefined when it is not to be sent any more. */
async function composeBody(
  { db }: Deps,
  { id, ownerId, workflowId, assetId, at, message }: Delivery,
): Promise<string | undefined> {
  const workflow = await findWorkflow(db, ownerId, workflowId);
  const session = await findAccountSession(db, ownerId);
  if (!workflow?.isEnabled || !session) return undefined;
  const facts = (await readFacts(db, session, [assetId], new Set())).get(assetId);
  return (
    facts &&
    JSON.stringify({
      id,
      at,
      event: workflow.trigger,
      message,
      workflow: { id: workflow.id, name: workflow.name },
      asset: toWebhookAsset(facts),
    })
  );
}

/** Members as webhooks name them: receivers depend on them. */
const toWebhookAsset = (facts: Facts) => ({
  id: facts.id,
  type: facts.type,
  fileName: facts.fileName,
  fileSize: facts.fileSize,
  takenAt: facts.takenAt.toISOString(),
  localTakenAt: facts.localTakenAt,
  width: facts.width,
  height: facts.height,
  durationMs: facts.durationMs,
  make: facts.make,
  model: facts.model,
  city: facts.city,
  state: facts.state,
  country: facts.country,
  description: facts.description,
  rating: facts.rating,
  isFavorite: facts.isFavorite,
});

/** Notifies the owner of a webhook that could not be delivered; many are one notification. */
export async function reportFailure(
  db: Db,
  { ownerId, workflowId, url }: Delivery,
  { error, now }: { readonly error: unknown; readonly now: Date },
): Promise<void> {
  const { host } = new URL(url);
  const event = {
    userId: ownerId,
    kind: 'workflow',
    title: `A webhook to ${host} could not be delivered`,
    description: error instanceof Error ? getErrorMessage(error) : String(error),
    data: { workflowId, webhookHost: host, count: 1 },
    key: `webhook ${workflowId} ${host}`,
  } as const;
  await notify(db, event, now);
}
