import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, forbidden } from '../../core/errors.ts';
import { requireValue } from '../../core/required.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type Ack, parseCompleted, parseAck, formatPosition, DIGEST_TYPES } from './acks.ts';
import * as store from './checkpoints.store.ts';
import type { Feed } from './feed.ts';
import { FEEDS } from './feeds.store.ts';
import type { SyncAck } from './schemas.ts';
import type { EntityType } from './types.ts';

export function requireSessionId(ctx: Ctx): string {
  const { sessionId } = requireUser(ctx.session);
  if (!sessionId) throw forbidden('Sync endpoints cannot be used with API keys');
  return sessionId;
}

export async function listAcks(ctx: Ctx): Promise<SyncAck[]> {
  const rows = await store.listCheckpoints(ctx.db, requireSessionId(ctx));
  return rows.flatMap(({ type, ack }) => (ack === null ? [] : { type, ack }));
}

export async function deleteAcks(ctx: Ctx, types?: readonly EntityType[]): Promise<void> {
  const sessionId = requireSessionId(ctx);
  await inTransaction(ctx, ({ db }) => store.deleteAcks(db, sessionId, types));
}

/** Saves what the client has stored. Of several acks of a type the last counts. Throws 400 for an invalid ack. */
export async function saveAcks(ctx: Ctx, texts: readonly string[]): Promise<void> {
  const sessionId = requireSessionId(ctx);
  const acks = texts.map(requireAck);
  const checkpoints = new Map<EntityType, store.NewCheckpoint>();
  let isReset = false;
  for (const ack of acks) {
    if (ack.type === 'SyncResetV1') {
      isReset = true;
      checkpoints.clear();
    } else {
      for (const checkpoint of toCheckpoints(ack)) checkpoints.set(checkpoint.type, checkpoint);
    }
  }
  await inTransaction(ctx, async ({ db }) => {
    if (isReset) await store.resetCheckpoints(db, sessionId);
    await store.saveCheckpoints(db, sessionId, [...checkpoints.values()], ctx.now());
  });
}

function requireAck(text: string): Ack {
  const ack = parseAck(text);
  if (!ack) throw badRequest('Invalid ack');
  if ('unknownType' in ack) throw badRequest(`Invalid ack type: ${ack.unknownType}`);
  return ack;
}

function toCheckpoints(ack: Ack): store.NewCheckpoint[] {
  const own = { type: ack.type, ack: ack.text };
  if (ack.type !== 'SyncCompleteV1') return [own];
  const completed = parseCompleted(ack);
  if (!completed) throw badRequest('Invalid ack');
  const feeds = FEEDS.filter((feed) => completed.types.includes(feed.request));
  return [own, ...feeds.flatMap((feed) => listFeedCheckpoints(feed, ack, completed.locked))];
}

/** A completed stream brings all its types up to date, also those that had nothing to send. */
function listFeedCheckpoints(
  feed: Feed,
  { position: place }: Ack,
  locked: 'all' | 'none' | 'unsure',
): store.NewCheckpoint[] {
  const at = formatPosition(requireValue(place, 'position of an ack'));
  const toCheckpoint = (type: EntityType, more: Partial<store.NewCheckpoint> = {}) => ({
    type,
    ack: `${type}|${at}`,
    ...more,
  });
  return [
    ...(feed.removal ? [toCheckpoint(feed.removal.type)] : []),
    ...(feed.backfill ? [toCheckpoint(feed.backfill.type)] : []),
    ...feed.upserts.map(({ type }) =>
      toCheckpoint(type, feed.lockedScan && locked !== 'unsure' ? { locked } : {}),
    ),
  ].filter(({ type }) => !DIGEST_TYPES.has(type));
}
