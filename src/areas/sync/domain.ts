import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, forbidden } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type Ack, completedBy, parseAck, placeText, WHOLE_TYPES } from './acks.ts';
import * as store from './checkpoints.store.ts';
import type { Feed } from './feed.ts';
import { FEEDS } from './feeds.store.ts';
import type { SyncAck } from './schemas.ts';
import type { EntityType } from './types.ts';

export function sessionIdOf(ctx: Ctx): string {
  const { sessionId } = requireUser(ctx.session);
  if (!sessionId) throw forbidden('Sync endpoints cannot be used with API keys');
  return sessionId;
}

export async function listAcks(ctx: Ctx): Promise<SyncAck[]> {
  const rows = await store.listCheckpoints(ctx.db, sessionIdOf(ctx));
  return rows.flatMap(({ type, ack }) => (ack === null ? [] : { type, ack }));
}

export async function deleteAcks(ctx: Ctx, types?: readonly EntityType[]): Promise<void> {
  const sessionId = sessionIdOf(ctx);
  await inTransaction(ctx, ({ db }) => store.forgetAcks(db, sessionId, types));
}

/** What the client has kept. Of several acks of a type the last counts. */
export async function saveAcks(ctx: Ctx, texts: readonly string[]): Promise<void> {
  const sessionId = sessionIdOf(ctx);
  const acks = texts.map(checkedAck);
  const checkpoints = new Map<EntityType, store.NewCheckpoint>();
  let isReset = false;
  for (const ack of acks) {
    if (ack.type === 'SyncResetV1') {
      isReset = true;
      checkpoints.clear();
    } else {
      for (const checkpoint of checkpointsOf(ack)) checkpoints.set(checkpoint.type, checkpoint);
    }
  }
  await inTransaction(ctx, async ({ db }) => {
    if (isReset) await store.startOver(db, sessionId);
    await store.saveCheckpoints(db, sessionId, [...checkpoints.values()], ctx.now());
  });
}

function checkedAck(text: string): Ack {
  const ack = parseAck(text);
  if (!ack) throw badRequest('Invalid ack');
  if ('unknownType' in ack) throw badRequest(`Invalid ack type: ${ack.unknownType}`);
  return ack;
}

function checkpointsOf(ack: Ack): store.NewCheckpoint[] {
  const own = { type: ack.type, ack: ack.text };
  if (ack.type !== 'SyncCompleteV1') return [own];
  const completed = completedBy(ack);
  if (!completed) throw badRequest('Invalid ack');
  const feeds = FEEDS.filter((feed) => completed.types.includes(feed.request));
  return [own, ...feeds.flatMap((feed) => upToDate(feed, ack, completed.locked))];
}

/** A finished stream brings every type of it up to its end, also those that had nothing to send. */
function upToDate(
  feed: Feed,
  { place }: Ack,
  locked: 'all' | 'none' | 'unsure',
): store.NewCheckpoint[] {
  const at = placeText(place!);
  const named = (type: EntityType, more: Partial<store.NewCheckpoint> = {}) => ({
    type,
    ack: `${type}|${at}`,
    ...more,
  });
  return [
    ...(feed.removal ? [named(feed.removal.type)] : []),
    ...(feed.backfill ? [named(feed.backfill.type)] : []),
    ...feed.readings.map(({ type }) =>
      named(type, feed.locked && locked !== 'unsure' ? { locked } : {}),
    ),
  ].filter(({ type }) => !WHOLE_TYPES.has(type));
}
