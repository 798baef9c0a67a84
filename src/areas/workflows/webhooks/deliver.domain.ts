import { LRUCache } from 'lru-cache';
import { findAccountSession } from '../../../access/account-session.ts';
import type { Deps } from '../../../core/context.ts';
import { getErrorMessage } from '../../../core/log.ts';
import { VERSION } from '../../../core/version.ts';
import type { Db } from '../../../db/client.ts';
import type { JobPayload } from '../../../jobs/define.ts';
import { FinalFailure, JobPostponed } from '../../../jobs/postpone.ts';
import { notify } from '../../notifications/index.ts';
import { readConfig } from '../../system-config/index.ts';
import type { deliverWebhook } from '../jobs.ts';
import { readAuthority } from '../runs/authority.ts';
import type { Facts } from '../runs/facts.ts';
import { readFacts } from '../runs/facts.store.ts';
import { findWorkflow } from '../store.ts';
import { parseTarget, resolveTarget } from './target.ts';
import type { LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { getFirst, requireValue } from '../../../core/required.ts';

type Delivery = JobPayload<typeof deliverWebhook>;

/** Time in which a host that did not answer is not asked again: others wait behind it. */
const SILENCE_MS = 30_000;
/** A host that asks for more rest is left alone for so long at most. */
const MAX_REST_MS = 3_600_000;
/** A delivery that could not even be tried is given up after a day. */
const MAX_AGE_MS = 24 * 3_600_000;
/** Deliveries that wait for the same host do not all wake at once, the older the less often. */
const MAX_SPREAD_MS = 600_000;
/** Times in ms until which hosts are not asked. */
const restingHosts = new LRUCache<string, number>({ max: 1000 });

/**
 * Sends a webhook, unless its workflow is gone or switched off, or the owner does not see the item any
 * more. Throws if the host does not take it: JobPostponed if it was not asked, FinalFailure if it would not
 * take it later either, or is not listed any more.
 */
export async function sendWebhook(
  deps: Deps,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<void> {
  const body = await composeBody(deps, delivery);
  if (body === undefined) return;
  const { hosts, secret } = (await readConfig(deps.db, 'webhooks')).webhooks;
  const url = parseListed(delivery.url, hosts);
  requireAwake(url.host, delivery, deps.now());
  const addresses = await resolveTarget(url, hosts);
  const headers = signHeaders(delivery.id, body, { secret, now: deps.now() });
  const { status, retryAfterMs } = await post({ url, addresses, headers, body, signal }).catch(
    (error: unknown) => {
      if (signal.aborted) throw error;
      rest(url.host, SILENCE_MS, deps.now());
      // Without its code: it says something about the host, not about this machine.
      throw new Error(`${url.host}: ${(error as Error).message}`);
    },
  );
  if (status >= 200 && status <= 299) return;
  const message = `${url.host} has answered ${status}`;
  if (!isTemporary(status)) throw new FinalFailure(message);
  if (retryAfterMs) rest(url.host, Math.min(retryAfterMs, MAX_REST_MS), deps.now());
  throw new Error(message);
}

function parseListed(text: string, hosts: readonly string[]): URL {
  try {
    return parseTarget(text, hosts);
  } catch (error) {
    throw new FinalFailure((error as Error).message, { cause: error });
  }
}

const rest = (host: string, ms: number, now: Date) => restingHosts.set(host, now.getTime() + ms);

function requireAwake(host: string, { at }: Delivery, now: Date): void {
  const left = (restingHosts.get(host) ?? 0) - now.getTime();
  // Longer than any rest: the clock was set back.
  if (left <= 0 || left > MAX_REST_MS) return;
  const age = Math.max(0, now.getTime() - Date.parse(at));
  if (age > MAX_AGE_MS) throw new FinalFailure(`${host} has not answered for a day`);
  const spread = Math.random() * Math.min(age, MAX_SPREAD_MS);
  throw new JobPostponed(`${host} did not answer a moment ago`, left + spread);
}

/** RFC 9110 §15: the server is at fault, or the request came too early, too late or too often (RFC 6585). */
const isTemporary = (status: number): boolean =>
  (status >= 500 && status !== 501 && status !== 505) || [408, 425, 429].includes(status);

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
  const authority = await readAuthority(db, workflow);
  if ('refusal' in authority) throw new FinalFailure(authority.refusal);
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

const TIMEOUT_MS = 10_000;

type Post = {
  readonly url: URL;
  /** Addresses of the host to connect to, whatever its name resolves to meanwhile. */
  readonly addresses: readonly LookupAddress[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
};

type Answer = {
  readonly status: number;
  /** Pause that Retry-After asks for (RFC 9110 §10.2.3); undefined: none. */
  readonly retryAfterMs: number | undefined;
};

/** Posts a body and returns the head of the answer. Does not follow redirects, nor read the answer. */
export function post({ url, addresses, headers, body, signal }: Post): Promise<Answer> {
  const lookup: LookupFunction = (_host, { all }, done) => {
    const { address, family } = getFirst(addresses);
    if (all) done(null, [...addresses]);
    else done(null, address, family);
  };
  const { request } = url.protocol === 'https:' ? https : http;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        agent: false,
        lookup,
        signal: AbortSignal.any([signal, timeout]),
      },
      (answer) => {
        answer.destroy();
        const retryAfterMs = parseRetryAfter(answer.headers['retry-after']);
        resolve({ status: requireValue(answer.statusCode, 'status of an answer'), retryAfterMs });
      },
    );
    sent.on('error', (error) =>
      reject(timeout.aborted ? new Error(`No answer within ${TIMEOUT_MS / 1000} s`) : error),
    );
    sent.end(body);
  });
}

/** Seconds, or a date. */
function parseRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return ms > 0 ? ms : undefined;
}
